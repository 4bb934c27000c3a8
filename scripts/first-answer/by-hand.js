// The first answer with plain ONNX Runtime in a worker of one's own.
const worker = new Worker(new URL("./by-hand.worker.js", import.meta.url), { type: "module" });
worker.addEventListener("message", ({ data }) => {
  window.firstAnswer = { atMs: performance.now(), value: data[0] };
});
worker.postMessage(new Float32Array(784).fill(0.5));

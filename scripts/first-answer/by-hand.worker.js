import * as ort from "onnxruntime-web/wasm";

ort.env.wasm.numThreads = 1;
const session = ort.InferenceSession.create("/digits.onnx", { executionProviders: ["wasm"] });
self.addEventListener("message", ({ data }) => void answer(data));

/** @param {Float32Array} image */
async function answer(image) {
  const { logits } = await (await session).run({ image: new ort.Tensor("float32", image, [1, 1, 28, 28]) });
  self.postMessage(logits.data);
}

// The ways to load the model. Each returns the first number of the answer.

export async function byHand(width, isBlob) {
  const worker = new Worker("/lanes/worker.js", { type: "module" });
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  worker.postMessage({ width, isBlob });
  return answer;
}

/** @param address of the build of framebatch */
export async function withFramebatch(width, address) {
  const { createBatchedModel } = await import(`${address}index.js`);
  const model = await createBatchedModel("/model/model.onnx", {
    executionProviders: ["wasm"],
    externalData: [{ path: "weights.data", source: "/model/weights.data" }],
    maxModelBytes: 2 ** 32,
  });
  const { y } = await model.predict({ x: new Float32Array(width).fill(1) });
  return y.data[0];
}

/** Resolves when the cache holds both files; false if it will not. */
export async function isCached(address) {
  const { listCachedModels } = await import(`${address}index.js`);
  for (let tries = 0; tries < 240; tries++) {
    if ((await listCachedModels().catch(() => [])).length === 2) return true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return false;
}

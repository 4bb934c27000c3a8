// Loads the model with plain ONNX Runtime: the weights as bytes or as a Blob.
import * as ort from "../ort/ort.jspi.bundle.min.mjs";

// A rejection becomes an error of this worker, which ends the page's wait for the answer.
self.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));

self.onmessage = async ({ data: { width, isBlob } }) => {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = "/ort/";
  const [model, weights] = await Promise.all([fetch("/model/model.onnx"), fetch("/model/weights.data")]);
  const data = isBlob ? await weights.blob() : new Uint8Array(await weights.arrayBuffer());
  const session = await ort.InferenceSession.create(new Uint8Array(await model.arrayBuffer()), {
    executionProviders: ["wasm"],
    externalData: [{ path: "weights.data", data }],
  });
  const x = new ort.Tensor("float32", new Float32Array(width).fill(1), [1, width]);
  const { y } = await session.run({ x });
  self.postMessage(y.data[0]);
};

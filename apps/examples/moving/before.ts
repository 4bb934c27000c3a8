import * as ort from "onnxruntime-web/wasm";

let session: ort.InferenceSession;
let last: Promise<unknown> = Promise.resolve();

export async function load(url: string) {
  session = await ort.InferenceSession.create(url, { executionProviders: ["wasm"] });
}

/** One run for each picture, on the page's thread, one after the other. */
export function classify(image: Float32Array): Promise<Float32Array> {
  const run = last.then(async () => {
    const tensor = new ort.Tensor("float32", image, [1, 1, 28, 28]);
    const { logits } = await session.run({ image: tensor });
    if (!(logits?.data instanceof Float32Array)) throw new TypeError(`expected float32, got ${logits?.type}`);
    return logits.data;
  });
  last = run.catch(() => undefined); // an error must not stop the runs after it
  return run;
}

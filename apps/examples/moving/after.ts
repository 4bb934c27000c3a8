import { createBatchedModel, type BatchedModel, type ItemOf, type OutputsOf } from "framebatch/wasm";

interface Digits {
  inputs: { image: Float32Array };
  outputs: { logits: Float32Array };
}

let model: BatchedModel<ItemOf<Digits>, OutputsOf<Digits>>;

export async function load(url: string) {
  model = await createBatchedModel<Digits>(url, { executionProviders: ["wasm"] });
}

/** Pictures that are asked for together share a run, in a worker. */
export async function classify(image: Float32Array): Promise<Float32Array> {
  const { logits } = await model.predict({ image }); // no batch axis
  return logits.data;
}

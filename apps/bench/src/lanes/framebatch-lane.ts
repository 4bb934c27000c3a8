import { createBatchedModel, type BatchedModel, type ModelOptions } from "framebatch";
import type { BenchItem } from "../items.js";
import type { BenchModel } from "../models.js";
import type { Backend } from "../results.js";
import type { CalledLane } from "./lane.js";

/** A model of its own, with its own worker, as an application would make it: no option but the batching and the backend. */
export async function openFramebatch(
  model: BenchModel,
  backend: Backend,
  batching: NonNullable<ModelOptions["batching"]> | false,
): Promise<CalledLane> {
  const batched = await createBatchedModel(model.url, { executionProviders: [backend], batching });
  return {
    kind: "called",
    predict: (item, signal) => (signal === undefined ? batched.predict(item) : batched.predict(item, { signal })),
    answer: (item) => firstOutput(batched, item),
    resetCounts: () => batched.resetStats(),
    counts: () => {
      const { batchSize, busyShare, paddingWaste } = batched.stats();
      return { meanBatchSize: batchSize.mean, busyShare, paddingWaste };
    },
    close: () => batched.dispose(),
  };
}

async function firstOutput(model: BatchedModel, item: BenchItem): Promise<Float32Array> {
  const [output] = Object.values(await model.predict(item));
  if (output?.data instanceof Float32Array) return output.data;
  throw new Error(`Expected a float32 output, got ${output?.type ?? "none"}.`);
}

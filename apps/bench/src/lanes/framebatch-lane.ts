import { createBatchedModel, type BatchedModel, type ModelOptions } from "framebatch";
import type { BenchModel } from "../models.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Backend } from "../results.js";
import type { CalledLane } from "./lane.js";

/** `createBatchedModel` of the build that a lane measures. */
export type Create = (url: string, options: ModelOptions) => Promise<BatchedModel>;

/** Opens a model on one backend, with the options of the lane. */
export function openFramebatch(model: BenchModel, backend: Backend, options: ModelOptions): Promise<CalledLane> {
  return openModel(model, { executionProviders: [backend], ...options });
}

/**
 * Opens a separate model with its own worker, as an application does. The only other option is the padding that the
 * model needs.
 */
export async function openModel(
  model: BenchModel,
  options: ModelOptions,
  create: Create = createBatchedModel,
): Promise<CalledLane> {
  const batched = await create(model.url, { padding: paddingOf(model), ...options });
  return {
    kind: "called",
    predict: (item, asked) => batched.predict(item, asked),
    answer: (item) => firstOutput(batched, item),
    resetCounts: () => batched.resetStats(),
    counts: () => {
      const { batchSize, busyShare, paddingWaste } = batched.stats();
      return { meanBatchSize: batchSize.mean, busyShare, paddingWaste };
    },
    curve: () => {
      const { targetSize, curve } = batched.stats().cost;
      return { targetSize, points: curve };
    },
    ways: () => {
      const { executionProvider, providerTrials } = batched.stats();
      return { provider: executionProvider, trials: providerTrials };
    },
    close: () => batched.dispose(),
  };
}

/** Pads inputs of varying length, including masks, with zeros on the right, if the model allows it. */
function paddingOf({ inputs, lengths }: BenchModel): NonNullable<ModelOptions["padding"]> {
  if (lengths?.pads !== true) return {};
  const varying = inputs.filter(({ dims }) => dims.includes(null));
  return Object.fromEntries(varying.map(({ name }) => [name, {}]));
}

async function firstOutput(model: BatchedModel, item: BenchItem): Promise<Numbers> {
  const [output] = Object.values(await model.predict(item));
  if (output !== undefined && ArrayBuffer.isView(output.data)) return output.data;
  throw new Error(`Expected an output of numbers, got ${output?.type ?? "none"}.`);
}

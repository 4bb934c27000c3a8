import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { watched } from "../../client/model/item-kind.js";
import { planLoad, type TensorSites } from "../../client/model/load-plan.js";
import { batchingOf, openOnWorkers } from "../../client/model/open-on-workers.js";
import { tensorItems } from "../../client/model/tensor-items.js";
import { checkFilesOf, providersOf } from "../../client/options/files-by-provider.js";
import type { GeneratingOptions } from "../../client/options/generation-options.js";
import type { KeptModel } from "../../client/options/model-source.js";
import { GeneratingWorkerModel } from "./generating-model.js";

/** Number of texts that run at the same time, if the options do not say another one. */
const MAX_TEXTS = 32;

/**
 * Creates a model that generates texts, as `createBatchedModel` does.
 * @param options those that `checkModelOptions` has checked
 * @param onUse called at each request, and at each run of texts
 * @throws the errors of `createBatchedModel`
 */
export async function createGeneratingModelAt(
  sites: TensorSites,
  source: KeptModel,
  options: GeneratingOptions,
  onUse: () => void = () => undefined,
): Promise<GeneratingWorkerModel> {
  checkFilesOf(source, options);
  const decoder = options.generate === true ? {} : options.generate;
  const { maxCacheBytes: _, ...names } = decoder;
  const { maxQueueSize, release } = batchingOf(options);
  const maxTexts = release === "off" ? 1 : (options.maxBatchSize ?? MAX_TEXTS);
  const { loadWays: _ways, served = null, ...own } = sites;
  return openOnWorkers({
    options,
    planFor(maxBatchSize, listener) {
      const plan = planLoad(source, options, maxBatchSize, { ...own, served }, listener);
      return { ...plan, request: { ...plan.request, generate: names } };
    },
    providers: providersOf(options, source),
    // What runs here is no batch of items, so there is nothing to compare.
    loadWays: null,
    kindOf({ session: { model } }) {
      const checks = options.validate && own.planChecks?.(model.signature.inputs, options.validate);
      const reader = InputReader.for(model.signature, model.padding, checks);
      const kind = own.itemsOf?.(reader, null, options, model) ?? tensorItems(reader, null);
      return watched(own.suspects?.among(kind) ?? kind, onUse);
    },
    modelOf: (parts) => new GeneratingWorkerModel(parts, { decoder, maxTexts, maxQueueSize, onUse }),
  });
}

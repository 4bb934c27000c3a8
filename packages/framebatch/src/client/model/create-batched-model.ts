import { WorkerBackedModel } from "./worker-backed-model.js";
import { type ItemKind, tensorItems, watched } from "./item-kind.js";
import { type ItemsOf, planLoad, type TensorSites, type WorkerSites } from "./load-plan.js";
import { openOnWorkers } from "./open-on-workers.js";
import type { Item, Outputs } from "../options/model.js";
import type { KeptModel } from "../options/model-source.js";
import type { LoadOptions, TensorOptions } from "../options/options.js";
import { checkFilesOf, providersOf } from "../options/files-by-provider.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";

/**
 * Creates a model of tensors, as `createBatchedModel` does.
 * @param options those that `checkModelOptions` has checked: a page that gives none does not load the checks
 * @param onUse called at each request, before it is queued
 * @throws the errors of `createBatchedModel`
 */
export async function createModelAt(
  sites: TensorSites,
  source: KeptModel,
  options: TensorOptions = {},
  onUse?: () => void,
): Promise<WorkerBackedModel<Item, PreparedItem, Outputs>> {
  const sequences = options.recurrent === undefined ? undefined : await sites.loadSequences?.();
  const itemsOf: ItemsOf = sites.itemsOf ?? ((reader, shared) => tensorItems(reader, shared));
  const shared = await sharedFor(sites, options);
  return createWith({ ...sites, served: null }, source, options, ({ session: { model } }) => {
    const checks = options.validate && sites.planChecks?.(model.signature.inputs, options.validate);
    const reader = InputReader.for(model.signature, model.padding, checks);
    const plain = itemsOf(reader, shared, options, model);
    const kind = sequences === undefined ? plain : sequences.withSequences(plain, reader, model, options);
    return watched(sites.suspects?.among(kind) ?? kind, onUse);
  });
}

/** Loads nothing for a model without the options by which requests share results. */
async function sharedFor({ loadShared }: TensorSites, options: TensorOptions) {
  if (options.dedupe === undefined && options.resultCacheSize === undefined) return null;
  return (await loadShared?.())?.sharedResults(options) ?? null;
}

/** Creates a model. @param kindOf returns what the model takes and returns, once its workers are ready */
export async function createWith<Input, Row, Output>(
  sites: WorkerSites,
  source: KeptModel,
  options: LoadOptions,
  kindOf: (pool: WorkerPool) => ItemKind<Input, Row, Output>,
): Promise<WorkerBackedModel<Input, Row, Output>> {
  checkFilesOf(source, options);
  return openOnWorkers({
    options,
    planFor: (maxBatchSize, listener) => planLoad(source, options, maxBatchSize, sites, listener),
    providers: providersOf(options, source),
    loadWays: sites.loadWays ?? null,
    kindOf,
    modelOf: (parts) => new WorkerBackedModel(parts),
  });
}

import { createBatchedWorkerAt } from "./handlers/page/create-batched-worker.js";
import { type BatchedWorker, type BatchedWorkerOptions } from "./handlers/page/batched-worker-options.js";
import { createModelAt } from "./client/model/create-batched-model.js";
import { createHandledModelAt } from "./handlers/page/create-handled-model.js";
import {
  createGroupedModelAt,
  type LoadGenerating,
  type LoadGroupSequences,
} from "./groups/page/create-grouped-model.js";
import { createModelOn } from "./servers/page/create-remote-model.js";
import { type RemoteModelOptions } from "./servers/page/remote-model-options.js";
import { createHub } from "./hub/page/create-hub.js";
import { assertSupportedHost } from "./client/page/supported-host.js";
import { checkModelOptions, planChecks } from "./client/options/model-options.js";
import { keepOptions } from "./client/options/kept-options.js";
import { keepModel, type KeptModel } from "./client/options/model-source.js";
import { createHybridModelAt } from "./servers/page/create-hybrid-model.js";
import { hasGroup } from "./client/options/grouped-options.js";
import { hasHandlers, hasWorker, type ModelOptions } from "./client/options/options.js";
import type { ItemOf, ModelTypes, OutputsOf, RemoteModel, UnknownModel } from "./client/options/model.js";
import { asCreateBatchedModel } from "./client/api/overloads.js";
import { askForModels, askToClear, type CachedModel } from "./client/api/cached-model.js";
import { clearModels, listModels } from "./client/api/cached-models.js";
import type { createBatchedModel } from "./client/api/packaged.js";
import type { createModelHub } from "./client/api/packaged-hub.js";
import { shareSessions } from "./shared-tabs/page/share-sessions.js";
import { type TensorSites } from "./client/model/load-plan.js";
import { explainSilence } from "./client/model/silent-script.js";
import { withHandledSequences } from "./handlers/page/handled-sequences.js";
import { withSequences } from "./sequences/page/sequence-items.js";
import { type GeneratingOptions, hasGenerate } from "./client/options/generation.js";
import { createGeneratingModelAt } from "./generation/page/generating-model.js";
import { sharedResults } from "./client/model/shared-results.js";
import { WayComparison } from "./ways/page/way-comparison.js";
import { SharedSlots } from "./transport/shared-memory.js";
import { siteOfWorker } from "./client/workers/user-worker-site.js";
import { type BuiltInSite, siteAt } from "./client/workers/worker-site.js";

/**
 * Returns `createBatchedModel` for a build whose worker and ONNX Runtime files are in the same folder as the script.
 * @param scriptUrl absolute address of the script
 */
export function createBatchedModelBeside(scriptUrl: string): typeof createBatchedModel {
  const site = siteBeside(scriptUrl);
  return asCreateBatchedModel(async (source, given) => {
    assertSupportedHost();
    const options = keepOptions(given);
    const kept = keepModel(source);
    if (hasGroup(options)) return createGroupedModelAt({ site, loadSequences, loadGenerating }, kept, options);
    if (options?.remote !== undefined) return createHybridModelAt(sitesFor(site, options), kept, options);
    if (hasHandlers(options)) return createHandledModelAt<unknown, unknown>(site, kept, options);
    if (options !== undefined) checkModelOptions(options);
    return openHere(site, kept, options);
  });
}

/**
 * Returns `createModelHub` for the same build.
 * @param scriptUrl absolute address of the script
 */
export function createModelHubBeside(scriptUrl: string): typeof createModelHub {
  const site = siteBeside(scriptUrl);
  return (options) =>
    createHub(async (source, settings, onUse) => {
      assertSupportedHost();
      const kept = keepModel(source);
      if (hasGroup(settings))
        return createGroupedModelAt({ site, loadSequences, loadGenerating }, kept, settings, undefined, onUse);
      return hasHandlers(settings)
        ? createHandledModelAt<unknown, unknown>(site, kept, settings, undefined, onUse)
        : openHere(site, kept, settings, onUse);
    }, options ?? {});
}

/** Opens a model of tensors, or one that generates. */
function openHere(
  site: BuiltInSite,
  kept: KeptModel,
  options: ModelOptions | GeneratingOptions | undefined,
  onUse?: () => void,
) {
  const sites = sitesFor(site, options);
  if (!hasGenerate(options)) return createModelAt(sites, kept, options, onUse);
  const served = hasWorker(options) ? siteOfWorker(options.worker, explainSilence) : null;
  return createGeneratingModelAt({ ...sites, served }, kept, options, onUse);
}

/** `createRemoteModel`, in a build that loads nothing on demand. */
export function createRemoteModelHere<Model extends ModelTypes<Model> = UnknownModel>(
  url: string | URL,
  options: RemoteModelOptions,
): Promise<RemoteModel<ItemOf<Model>, OutputsOf<Model>>>;
export function createRemoteModelHere(url: string | URL, options: RemoteModelOptions): Promise<RemoteModel> {
  return createModelOn(url, keepOptions(options));
}

/** `createBatchedWorker`, in a build that loads nothing on demand. */
export async function createBatchedWorkerHere<Input, Output>(
  worker: () => Worker,
  options?: BatchedWorkerOptions<Input>,
): Promise<BatchedWorker<Input, Output>> {
  assertSupportedHost();
  return createBatchedWorkerAt<Input, Output>(worker, keepOptions(options));
}

// Not as a namespace: esbuild would build one with a loop that also visits what a page has added to Object.prototype.
const loadCacheCode = () => Promise.resolve({ clearModels, listModels });

/** `listCachedModels`, in a build that loads nothing on demand. */
export function listCachedModelsHere(): Promise<CachedModel[]> {
  return askForModels(loadCacheCode);
}

/** `clearModelCache`, in a build that loads nothing on demand. */
export function clearModelCacheHere(url?: string | URL): Promise<void> {
  return askToClear(loadCacheCode, url);
}

function sitesFor(site: BuiltInSite, options: Pick<ModelOptions, "shared"> | undefined): TensorSites {
  return {
    site,
    share: options?.shared ? shareSessions : null,
    loadMemory: () => Promise.resolve({ SharedSlots }),
    loadWays: () => Promise.resolve({ WayComparison }),
    loadShared: () => Promise.resolve({ sharedResults }),
    loadSequences,
    planChecks,
  };
}

const loadSequences: LoadGroupSequences = () => Promise.resolve({ withHandledSequences, withSequences });

const loadGenerating: LoadGenerating = () => Promise.resolve({ createGeneratingModelAt });

function siteBeside(scriptUrl: string): BuiltInSite {
  return siteAt(new URL("framebatch.worker.js", scriptUrl).href, {
    fix: "put it beside framebatch.global.js and framebatch.js: npx framebatch copy <folder>",
  });
}

import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { resolveBatcherOptions } from "@framebatch/batcher/options/batcher-options.js";
import { checkNames, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { checkHandlerOptions, checkModelOptions } from "../options/model-options.js";
import { checkFilesOf } from "../options/files-by-provider.js";
import { keepOptions } from "../options/kept-options.js";
import { keepModel, type ModelSource, sourceAgain, type SourceByProvider } from "../options/model-source.js";
import { haveHandlers } from "../options/handler-options.js";
import type { HandlerModelOptions, ModelOptions } from "../options/options.js";
import { Hub } from "./hub.js";
import type { ReloadableModel } from "./hub-entry.js";
import type { ModelHub, ModelHubOptions } from "./model-hub.js";

/** Creates a model as `createBatchedModel` of this build does. @param onUse called at each request */
export type CreateModel = (
  source: ModelSource | SourceByProvider,
  options: ModelOptions | HandlerModelOptions<unknown>,
  onUse: () => void,
) => Promise<ReloadableModel>;

/** Creates a hub as `createModelHub` does. @throws INVALID_OPTION when an option has a wrong name or value */
export function createHub(create: CreateModel, options: ModelHubOptions): ModelHub {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for no limit");
  checkNames(options, ["memoryBudgetBytes"]);
  const { memoryBudgetBytes = Infinity } = options;
  if (typeof memoryBudgetBytes !== "number" || !(memoryBudgetBytes > 0))
    throw optionError("memoryBudgetBytes", "a number of bytes above 0", memoryBudgetBytes, "write 300e6 for 300 MB");
  return new Hub({ now: () => performance.now(), opener: openerOf(create) }, memoryBudgetBytes);
}

function openerOf(create: CreateModel) {
  return (source: ModelSource | SourceByProvider, options: ModelOptions | HandlerModelOptions<unknown>) => {
    const kept = keepModel(source);
    checkNoServer(options.remote);
    resolveBatcherOptions(options);
    if (!haveHandlers(options)) checkModelOptions(options);
    else checkHandlerOptions(options);
    checkFilesOf(kept, options);
    const settings = keepOptions(options);
    return (onUse: () => void, signal: AbortSignal) => {
      const either = settings.signal === undefined ? signal : AbortSignal.any([settings.signal, signal]);
      return create(sourceAgain(kept), { ...settings, signal: either }, onUse);
    };
  };
}

/** A model that a server answers needs no memory here, and its requests need no load. */
function checkNoServer(remote: unknown): void {
  if (remote === undefined) return;
  const fix = "create a model with a server with createBatchedModel, outside of the hub";
  throw optionError("remote", "no value in a hub", remote, fix);
}

import { withEither } from "@framebatch/batcher/calls/either-signal.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { checkNames, isAmountAboveZero, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { checkHandlerOptions, checkModelOptions } from "../../client/options/model-options.js";
import { checkFilesOf } from "../../client/options/files-by-provider.js";
import { keepOptions } from "../../client/options/kept-options.js";
import { hasBaseUrl } from "@framebatch/host/base-url.js";
import { keepModel, type ModelSource, sourceAgain, type SourceByProvider } from "../../client/options/model-source.js";
import { type HandlerModelOptions, hasHandlers, type ModelOptions } from "../../client/options/options.js";
import { checkGrouped } from "../../groups/page/group-checks.js";
import type { GroupedOptions } from "../../client/options/grouped-options.js";
import { Group } from "../../groups/page/group.js";
import { Hub } from "./hub.js";
import type { ReloadableModel } from "./hub-entry.js";
import type { HubModelOptions, ModelHub, ModelHubOptions } from "./model-hub.js";

/** Creates a model as `createBatchedModel` of this build does. @param onUse called at each request */
export type CreateModel = (
  source: ModelSource | SourceByProvider,
  options: ModelOptions | HandlerModelOptions<unknown> | GroupedOptions,
  onUse: () => void,
) => Promise<ReloadableModel>;

/** Creates a hub as `createModelHub` does. @throws INVALID_OPTION when an option has a wrong name or value */
export function createHub(create: CreateModel, options: ModelHubOptions): ModelHub {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for no limit");
  checkNames(options, ["memoryBudgetBytes", "group"]);
  const { memoryBudgetBytes } = options;
  const group = options.group === undefined ? null : Group.from(options.group);
  if (memoryBudgetBytes !== undefined && !isAmountAboveZero(memoryBudgetBytes))
    throw optionError("memoryBudgetBytes", "a number of bytes above 0", memoryBudgetBytes, "write 300e6 for 300 MB");
  const budgetBytes = Math.min(memoryBudgetBytes ?? Infinity, group?.maxMemoryBytes ?? Infinity);
  return new Hub({ now: () => performance.now(), opener: openerOf(create, group), group }, budgetBytes);
}

function openerOf(create: CreateModel, group: Group | null) {
  return (source: ModelSource | SourceByProvider, given: HubModelOptions) => {
    // A server evaluates the modules of a page too, and loads no model: `get` rejects there.
    const kept = hasBaseUrl() ? keepModel(source) : null;
    const options = keepOptions(given);
    checkNoServer(options.remote);
    const settings = group === null ? ownWorkerOptions(options) : groupWorkerOptions(options, group);
    if (kept !== null) checkFilesOf(kept, settings);
    const again = kept === null ? source : sourceAgain(kept);
    return (onUse: () => void, signal: AbortSignal) =>
      withEither([settings.signal, signal], (either) => create(again, { ...settings, signal: either }, onUse));
  };
}

/** Returns the options of a model with a worker of its own. @throws INVALID_OPTION */
function ownWorkerOptions(options: HubModelOptions): ModelOptions | HandlerModelOptions<unknown> {
  if ("handlers" in options) throw optionError("handlers", "a hub with a group", options.handlers, "give it one");
  if (hasHandlers(options)) checkHandlerOptions(options);
  else checkModelOptions(options);
  return options;
}

/** Returns the options of a model in the worker of the hub's group. @throws INVALID_OPTION */
function groupWorkerOptions(options: HubModelOptions, group: Group): GroupedOptions {
  checkGrouped(options, group.worker !== null);
  if ("handlers" in options) {
    const { handlers, ...others } = options;
    checkHandlerOptions(others);
    return { ...others, handlers, group };
  }
  checkModelOptions(options);
  return { ...options, group };
}

/** A model that a server answers needs no memory here, and its requests need no load. */
function checkNoServer(remote: unknown): void {
  if (remote === undefined) return;
  const fix = "create a model with a server with createBatchedModel, outside of the hub";
  throw optionError("remote", "no value in a hub", remote, fix);
}

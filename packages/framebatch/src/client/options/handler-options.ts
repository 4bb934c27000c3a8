import type { ChoosingModelOptions } from "./generation.js";
import type { GeneratingOptions } from "./generation-options.js";
import type { GroupHandlerModelOptions } from "./model-group.js";
import type { HandlerModelOptions, ModelOptions } from "./options.js";

type AnyOptions =
  | ModelOptions
  | HandlerModelOptions<unknown>
  | GroupHandlerModelOptions<unknown>
  | GeneratingOptions
  | undefined;

/** Whether options ask for a worker with a module of the user. Their values are not checked yet. */
export function hasWorker(options: AnyOptions): options is HandlerModelOptions<unknown> | ChoosingModelOptions {
  return options?.worker !== undefined;
}

/** Whether options ask for a worker whose module has handlers of items. Their values are not checked yet. */
export function hasHandlers(options: AnyOptions): options is HandlerModelOptions<unknown> {
  return hasWorker(options) && !options.generate;
}

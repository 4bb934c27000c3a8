import type { GroupHandlerModelOptions } from "./model-group.js";
import type { HandlerModelOptions, ModelOptions } from "./options.js";

/** Whether options ask for a worker with handlers. Their values are not checked yet. */
export function hasHandlers(
  options: ModelOptions | HandlerModelOptions<unknown> | GroupHandlerModelOptions<unknown> | undefined,
): options is HandlerModelOptions<unknown> {
  return options?.worker !== undefined;
}

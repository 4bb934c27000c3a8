import type { HandlerModelOptions, ModelOptions } from "../options/options.js";

/** Whether the options are those of a worker with handlers. A caller without types may pass anything. */
export function hasWorker(
  options: ModelOptions | HandlerModelOptions<unknown>,
): options is HandlerModelOptions<unknown> {
  return typeof options === "object" && options !== null && "worker" in options && options.worker !== undefined;
}

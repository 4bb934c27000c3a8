import { handledItems } from "../handlers/handled-items.js";
import type { BatchedModel } from "../options/model.js";
import { checkHandlerOptions } from "../options/model-options.js";
import type { KeptSource } from "../options/model-source.js";
import type { HandlerModelOptions } from "../options/options.js";
import { type BuiltInSite, siteOfWorker, type WorkerSite } from "../workers/worker-site.js";
import { createWith } from "./create-batched-model.js";

/**
 * Creates a model whose worker has handlers, as `createBatchedModel` does.
 * @param site the site of the worker in this build
 * @param served the site of the user's own worker
 * @throws the errors of `createBatchedModel`
 */
export async function createHandledModelAt<Input, Output>(
  site: BuiltInSite,
  source: KeptSource,
  options: HandlerModelOptions<Input>,
  served?: WorkerSite,
): Promise<BatchedModel<Input, Output>>;
export async function createHandledModelAt(
  site: BuiltInSite,
  source: KeptSource,
  options: HandlerModelOptions<unknown>,
  served: WorkerSite = siteOfWorker(options.worker),
): Promise<BatchedModel<unknown, unknown>> {
  checkHandlerOptions(options);
  return createWith({ site, served }, source, options, (pool) => handledItems(pool, options.shapeOf));
}

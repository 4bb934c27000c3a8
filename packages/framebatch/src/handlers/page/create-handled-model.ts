import { handledItems } from "./handled-items.js";
import type { PageItem } from "./page-items.js";
import { Suspects } from "../../client/engine/suspects.js";
import { checkHandlerOptions } from "../../client/options/model-options.js";
import type { KeptModel } from "../../client/options/model-source.js";
import type { HandlerModelOptions } from "../../client/options/options.js";
import { explainSilence } from "../../client/model/silent-script.js";
import { siteOfWorker } from "../../client/workers/user-worker-site.js";
import type { BuiltInSite, WorkerSite } from "../../client/workers/worker-site.js";
import type { WorkerBackedModel } from "../../client/model/worker-backed-model.js";
import { createWith } from "../../client/model/create-batched-model.js";
import { watched } from "../../client/model/item-kind.js";
import { withHandledSequences } from "./handled-sequences.js";

type HandledModel<Input, Output> = WorkerBackedModel<Input, PageItem, Output>;

/**
 * Creates a model whose worker has handlers, as `createBatchedModel` does.
 * @param site the site of the worker in this build
 * @param served the site of the user's own worker
 * @param onUse called at each request, before it is queued
 * @throws the errors of `createBatchedModel`
 */
export async function createHandledModelAt<Input, Output>(
  site: BuiltInSite,
  source: KeptModel,
  options: HandlerModelOptions<Input>,
  served?: WorkerSite,
  onUse?: () => void,
): Promise<HandledModel<Input, Output>>;
export async function createHandledModelAt(
  site: BuiltInSite,
  source: KeptModel,
  options: HandlerModelOptions<unknown>,
  served: WorkerSite = siteOfWorker(options.worker, explainSilence),
  onUse?: () => void,
): Promise<HandledModel<unknown, unknown>> {
  checkHandlerOptions(options);
  const suspects = new Suspects();
  return createWith({ site, served, share: null }, source, options, (pool) =>
    watched(withHandledSequences(handledItems(pool, { shapeOf: options.shapeOf }, suspects), pool, suspects), onUse),
  );
}

import { createHandledModelAt } from "../model/create-handled-model.js";
import { keepSource, type ModelSource } from "../options/model-source.js";
import type { HandlerModelOptions } from "../options/options.js";
import { packagedSite } from "./packaged-site.js";

/** Creates a model whose worker has handlers. @throws the errors of `createBatchedModel` */
export async function createPackagedHandledModel(
  source: ModelSource,
  options: HandlerModelOptions<unknown>,
  onUse?: () => void,
): ReturnType<typeof createHandledModelAt<unknown, unknown>> {
  return createHandledModelAt(packagedSite, keepSource(source), options, undefined, onUse);
}

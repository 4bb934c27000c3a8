import { createModelAt } from "../model/create-batched-model.js";
import { keepSource, type ModelSource } from "../options/model-source.js";
import type { ModelOptions } from "../options/options.js";
import { packagedSite } from "./packaged-site.js";

/** Creates a model of tensors with the package's worker. @param onUse called at each request @throws the errors of `createBatchedModel` */
export async function createPackagedModel(
  source: ModelSource,
  options: ModelOptions | undefined,
  onUse?: () => void,
): ReturnType<typeof createModelAt> {
  return createModelAt(packagedSite, keepSource(source), options, onUse);
}

import { createModelAt } from "../model/create-batched-model.js";
import { keepSource, type ModelSource } from "../options/model-source.js";
import type { ModelOptions } from "../options/options.js";
import type { importOnDemand } from "./on-demand.js";
import { sharingFor } from "./packaged-sharing.js";
import { packagedSite } from "./packaged-site.js";

/**
 * Creates a model of tensors with the package's worker.
 * @param load see `sharingFor`
 * @param onUse called at each request
 * @throws the errors of `createBatchedModel`
 */
export async function createPackagedModel(
  source: ModelSource,
  options: ModelOptions | undefined,
  load: typeof importOnDemand,
  onUse?: () => void,
): ReturnType<typeof createModelAt> {
  const kept = keepSource(source);
  return createModelAt({ site: packagedSite, share: await sharingFor(options, load) }, kept, options, onUse);
}

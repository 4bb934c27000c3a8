import { createHybridModelAt } from "../model/create-hybrid-model.js";
import type { HybridModelOptions } from "../options/hybrid-options.js";
import { keepSource, type ModelSource } from "../options/model-source.js";
import type { importOnDemand } from "./on-demand.js";
import { sharingFor } from "./packaged-sharing.js";
import { packagedSite } from "./packaged-site.js";

/**
 * Creates a model that runs on the device and on a server.
 * @param load see `sharingFor`
 * @throws the errors of `createBatchedModel`
 */
export async function createPackagedHybridModel(
  source: ModelSource,
  options: HybridModelOptions,
  load: typeof importOnDemand,
): ReturnType<typeof createHybridModelAt> {
  const kept = keepSource(source);
  return createHybridModelAt({ site: packagedSite, share: await sharingFor(options, load) }, kept, options);
}

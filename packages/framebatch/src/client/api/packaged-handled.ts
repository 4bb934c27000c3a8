import { createHandledModelAt } from "../../handlers/page/create-handled-model.js";
import { explainSilence } from "../model/silent-script.js";
import { type ChoosingModelOptions, hasGenerate } from "../options/generation.js";
import { refuseGroup } from "../../groups/page/group-checks.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import type { HandlerModelOptions } from "../options/options.js";
import { withShippedProviders } from "../options/files-by-provider.js";
import { siteOfWorker } from "../workers/user-worker-site.js";
import { loadLater } from "./load-later.js";
import type { importOnDemand } from "./on-demand.js";
import type { AnyModel } from "./open-model.js";
import { type Shipment, shippedSite } from "./shipped-site.js";

// An engine needs the same code, and a file more would make every model's code larger: several files compress worse.
export { createBatchedWorkerAt } from "../../handlers/page/create-batched-worker.js";

/**
 * Creates a model whose worker has a module of the user.
 * @param load see `sharingFor`
 * @throws the errors of `createBatchedModel`
 */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  given: HandlerModelOptions<unknown> | ChoosingModelOptions,
  load: typeof importOnDemand,
  onUse?: () => void,
): Promise<AnyModel> {
  refuseGroup(given);
  const site = shippedSite(shipment);
  const kept = keepModel(source);
  const options = withShippedProviders(given, shipment.providers);
  if (hasGenerate(options)) {
    const { creatorFor, planChecks } = await load(() => import("./model-creator.js"));
    const served = siteOfWorker(options.worker, explainSilence);
    return creatorFor(options, load)({ site, served, share: null, planChecks }, kept, options, onUse);
  }
  // Sequences say in the call itself what is wrong with a state, and the words are here long before the model.
  loadLater().catch(() => undefined);
  return createHandledModelAt(site, kept, options, undefined, onUse);
}

import { createHandledModelAt } from "../model/create-handled-model.js";
import { refuseGroup } from "../options/group-checks.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import type { HandlerModelOptions } from "../options/options.js";
import { withShippedProviders } from "../options/shipped-providers.js";
import { loadLater } from "./load-later.js";
import type { Shipment } from "./shipment.js";
import { shippedSite } from "./shipped-site.js";

// An engine needs the same code, and a file more would make every model's code larger: several files compress worse.
export { createBatchedWorkerAt } from "../model/create-batched-worker.js";

/** Creates a model whose worker has handlers. @throws the errors of `createBatchedModel` */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: HandlerModelOptions<unknown>,
  onUse?: () => void,
): ReturnType<typeof createHandledModelAt<unknown, unknown>> {
  refuseGroup(options);
  // Sequences say in the call itself what is wrong with a state, and the words are here long before the model.
  loadLater().catch(() => undefined);
  return createHandledModelAt(
    shippedSite(shipment),
    keepModel(source),
    withShippedProviders(options, shipment.providers),
    undefined,
    onUse,
  );
}

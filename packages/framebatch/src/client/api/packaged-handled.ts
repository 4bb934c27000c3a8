import { createHandledModelAt } from "../model/create-handled-model.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import type { HandlerModelOptions } from "../options/options.js";
import { withShippedProviders } from "../options/shipped-providers.js";
import type { Shipment } from "./shipment.js";
import { shippedSite } from "./shipped-site.js";

/** Creates a model whose worker has handlers. @throws the errors of `createBatchedModel` */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: HandlerModelOptions<unknown>,
  onUse?: () => void,
): ReturnType<typeof createHandledModelAt<unknown, unknown>> {
  return createHandledModelAt(
    shippedSite(shipment),
    keepModel(source),
    withShippedProviders(options, shipment.providers),
    undefined,
    onUse,
  );
}

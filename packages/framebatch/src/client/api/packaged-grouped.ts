import { createGroupedModelAt } from "../group/create-grouped-model.js";
import type { GroupedOptions } from "../options/grouped-options.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import type { Shipment } from "./shipment.js";
import { shippedSite } from "./shipped-site.js";

/** Creates a model of a group. @throws the errors of `createBatchedModel` */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: GroupedOptions,
): ReturnType<typeof createGroupedModelAt> {
  return createGroupedModelAt(shippedSite(shipment), keepModel(source), options, shipment.providers);
}

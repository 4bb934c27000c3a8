import { createGroupedModelAt } from "../../groups/page/create-grouped-model.js";
import type { GroupedOptions } from "../options/grouped-options.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import { generatingBy, sequencesBy } from "./model-creator.js";
import type { importOnDemand } from "./on-demand.js";
import { type Shipment, shippedSite } from "./shipped-site.js";

/**
 * Creates a model of a group.
 * @param load see `creatorFor`
 * @param onUse called at each request
 * @throws the errors of `createBatchedModel`
 */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: GroupedOptions,
  load: typeof importOnDemand,
  onUse?: () => void,
): ReturnType<typeof createGroupedModelAt> {
  return createGroupedModelAt(
    { site: shippedSite(shipment), loadSequences: sequencesBy(load), loadGenerating: generatingBy(load) },
    keepModel(source),
    options,
    shipment.providers,
    onUse,
  );
}

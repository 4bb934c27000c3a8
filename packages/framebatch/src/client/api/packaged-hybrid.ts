import { createHybridModelAt } from "../../servers/page/create-hybrid-model.js";
import { refuseGroup } from "../../groups/page/group-checks.js";
import type { HybridModelOptions } from "../../servers/page/hybrid-options.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import type { importOnDemand } from "./on-demand.js";
import { sharingFor, type Shipment, shippedSite } from "./shipped-site.js";
import { withShippedProviders } from "../options/files-by-provider.js";

/**
 * Creates a model that runs on the device and on a server.
 * @param load see `sharingFor`
 * @throws the errors of `createBatchedModel`
 */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: HybridModelOptions,
  load: typeof importOnDemand,
): ReturnType<typeof createHybridModelAt> {
  refuseGroup(options);
  const kept = keepModel(source);
  return createHybridModelAt(
    {
      site: shippedSite(shipment),
      share: await sharingFor(options, load),
      loadMemory: () => load(() => import("../../transport/shared-memory.js")),
    },
    kept,
    withShippedProviders(options, shipment.providers),
  );
}

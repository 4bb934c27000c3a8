import { createModelAt } from "../model/create-batched-model.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import type { GeneratingOptions } from "../options/generation.js";
import { type GroupHandlerModelOptions } from "../options/model-group.js";
import { hasGroup } from "../options/grouped-options.js";
import type { ModelOptions } from "../options/options.js";
import { loadLater } from "./load-later.js";
import type { AnyModel } from "./open-model.js";
import type { importOnDemand } from "./on-demand.js";
import { sharingFor, type Shipment, shippedSite } from "./shipped-site.js";
import { withShippedProviders } from "../options/files-by-provider.js";

/** The code for a model with options. */
export type WithOptions = Pick<typeof import("./model-creator.js"), "creatorFor" | "planChecks">;

/**
 * Creates a model of tensors with the package's worker, or a model of a group.
 * @param checks the code for the options; `null` if there are none
 * @param load see `sharingFor`
 * @param onUse called at each request
 * @throws the errors of `createBatchedModel`
 */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: ModelOptions | GroupHandlerModelOptions<unknown> | GeneratingOptions | undefined,
  checks: WithOptions | null,
  load: typeof importOnDemand,
  onUse?: () => void,
): Promise<AnyModel> {
  if (hasGroup(options)) {
    // What is wrong with a kept item is said in the call itself, so its words must be there.
    const [grouped] = await Promise.all([load(() => import("./packaged-grouped.js")), loadLater()]);
    return grouped.open(shipment, source, options, load, onUse);
  }
  const kept = keepModel(source);
  const shipped = withShippedProviders(options === undefined ? {} : options, shipment.providers);
  const create = checks?.creatorFor(shipped, load) ?? createModelAt;
  return create(
    {
      site: shippedSite(shipment),
      share: await sharingFor(options, load),
      loadMemory: () => load(() => import("../../transport/shared-memory.js")),
      loadWays: () => load(() => import("../../ways/page/way-comparison.js")),
      loadShared: () => load(() => import("../model/shared-results.js")),
      planChecks: checks?.planChecks,
    },
    kept,
    shipped,
    onUse,
  );
}

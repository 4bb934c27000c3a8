import { createModelAt } from "../model/create-batched-model.js";
import { keepModel, type ModelSource, type SourceByProvider } from "../options/model-source.js";
import { haveGroup } from "../options/grouped-options.js";
import type { GroupHandlerModelOptions } from "../options/model-group.js";
import type { ModelOptions } from "../options/options.js";
import { loadLater } from "./load-later.js";
import type { AnyModel } from "./open-model.js";
import type { importOnDemand } from "./on-demand.js";
import { sharingFor } from "./packaged-sharing.js";
import { withShippedProviders } from "../options/shipped-providers.js";
import type { Shipment } from "./shipment.js";
import { shippedSite } from "./shipped-site.js";

/** The code that checks the options of a model. */
export type ModelChecks = Pick<typeof import("../options/model-options.js"), "checkModelOptions" | "planChecks">;

/**
 * Creates a model of tensors with the package's worker, or a model of a group.
 * @param checks those of the options; `null` if there are none
 * @param load see `sharingFor`
 * @param onUse called at each request
 * @throws the errors of `createBatchedModel`
 */
export async function open(
  shipment: Shipment,
  source: ModelSource | SourceByProvider,
  options: ModelOptions | GroupHandlerModelOptions<unknown> | undefined,
  checks: ModelChecks | null,
  load: typeof importOnDemand,
  onUse?: () => void,
): Promise<AnyModel> {
  // What is wrong with a state or a kept item is said in the call itself, so its words must be there.
  const loadSequences = () => withLater(load(() => import("../model/sequence-items.js")));
  if (haveGroup(options)) {
    const grouped = await withLater(load(() => import("./packaged-grouped.js")));
    return grouped.open(shipment, source, options, loadSequences, onUse);
  }
  const kept = keepModel(source);
  const shipped = withShippedProviders(options === undefined ? {} : options, shipment.providers);
  checks?.checkModelOptions(shipped);
  return createModelAt(
    {
      site: shippedSite(shipment),
      share: await sharingFor(options, load),
      loadMemory: () => load(() => import("../../transport/shared-memory.js")),
      loadWays: () => load(() => import("../model/ways-to-run.js")),
      loadShared: () => load(() => import("../model/shared-results.js")),
      loadSequences,
      ...(checks !== null && { planChecks: checks.planChecks }),
    },
    kept,
    shipped,
    onUse,
  );
}

/** Resolves when the code that loads after the first answer is there too. */
async function withLater<Code>(code: Promise<Code>): Promise<Code> {
  const [own] = await Promise.all([code, loadLater()]);
  return own;
}

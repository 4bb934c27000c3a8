import type { ReloadableModel } from "../../hub/page/hub-entry.js";
import type { GeneratingOptions } from "../options/generation.js";
import { type HandlerModelOptions, hasWorker, type ModelOptions } from "../options/options.js";
import type { GroupHandlerModelOptions } from "../options/model-group.js";
import { keepFiles, keepOptions } from "../options/kept-options.js";
import type { HybridModelOptions } from "../../servers/page/hybrid-options.js";
import type { BatchedModel, HybridModel } from "../options/model.js";
import type { ModelSource, SourceByProvider } from "../options/model-source.js";
import { assertSupportedHost } from "../page/supported-host.js";
import { importOnDemand } from "./on-demand.js";
import type { LoadShipment } from "./shipped-site.js";

export type AnyModelOptions =
  | ModelOptions
  | HandlerModelOptions<unknown>
  | GroupHandlerModelOptions<unknown>
  | GeneratingOptions
  | HybridModelOptions;
export type AnyModel = BatchedModel | BatchedModel<unknown, unknown> | HybridModel;

/**
 * Does what `createBatchedModel` does, with the files that one entry ships.
 * @param ship loads them
 * @param onUse called at each request of a model that no server answers
 * @throws the errors of `createBatchedModel`
 */
export async function openModel(
  ship: LoadShipment,
  source: ModelSource | SourceByProvider,
  options: Exclude<AnyModelOptions, HybridModelOptions>,
  onUse: () => void,
): Promise<ReloadableModel>;
export async function openModel(
  ship: LoadShipment,
  source: ModelSource | SourceByProvider,
  options: AnyModelOptions | undefined,
): Promise<AnyModel>;
export async function openModel(
  ship: LoadShipment,
  source: ModelSource | SourceByProvider,
  options: AnyModelOptions | undefined,
  onUse?: () => void,
): Promise<AnyModel> {
  assertSupportedHost();
  const kept = keepFiles(source);
  const own = keepOptions(options);
  const shipped = <Part>(part: Part) => importOnDemand(() => Promise.all([part, ship()]));
  if (own?.remote !== undefined) {
    const [{ open }, { shipment }] = await shipped(import("./packaged-hybrid.js"));
    return open(shipment, kept, own, importOnDemand);
  }
  if (hasWorker(own)) {
    const [{ open }, { shipment }] = await shipped(import("./packaged-handled.js"));
    return open(shipment, kept, own, importOnDemand, onUse);
  }
  const [checks, { open, shipment }] = await shipped(own === undefined ? null : import("./model-creator.js"));
  return open(shipment, kept, own, checks, importOnDemand, onUse);
}

import { createHub } from "../../hub/page/create-hub.js";
import { type ModelHub, type ModelHubOptions } from "../../hub/page/model-hub.js";
import { openModel } from "./open-model.js";
import type { LoadShipment } from "./shipped-site.js";

/** Does what `createModelHub` does, with the files that one entry ships. @throws the errors of `createModelHub` */
export function openHub(ship: LoadShipment, options: ModelHubOptions = {}): ModelHub {
  return createHub((source, settings, onUse) => openModel(ship, source, settings, onUse), options);
}

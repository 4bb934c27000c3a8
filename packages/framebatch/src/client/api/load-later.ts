import type { LaterCode } from "../model/load-later.js";
import { importOnDemand } from "./on-demand.js";

/**
 * Takes the place of `model/load-later.ts` in the modules for bundlers. Chromium remembers a file that has failed to load, and
 * tries it again only in a new page.
 * @throws RUNTIME_LOAD_FAILED when the code cannot be loaded
 */
export function loadLater(): Promise<LaterCode> {
  return importOnDemand(() => import("../model/later-code.js"));
}

import type { LaterCode } from "../model/load-later.js";
import { importOnDemand } from "./on-demand.js";

/** The code, for callers that cannot wait for it. It is the same for all models of a page. */
const loaded: { code: LaterCode | null } = { code: null };

/** Returns the code that `loadLater` has loaded; `null` before. */
export function laterCode(): LaterCode | null {
  return loaded.code;
}

/**
 * Takes the place of `model/load-later.ts` in the modules for bundlers. Chromium remembers a file that has failed to
 * load, and tries it again only in a new page.
 * @throws RUNTIME_LOAD_FAILED when the code cannot be loaded
 */
export async function loadLater(): Promise<LaterCode> {
  return (loaded.code ??= await importOnDemand(() => import("../model/later-code.js")));
}

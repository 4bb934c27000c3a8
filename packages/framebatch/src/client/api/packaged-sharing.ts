import type { ShareSessions } from "../model/load-plan.js";
import type { ModelOptions } from "../options/options.js";
import type { importOnDemand } from "./on-demand.js";

/**
 * Returns what shares the session of a model with other tabs; `null` without the option `shared`.
 * @param load `importOnDemand`. An import of it here would make it a file of its own, which every page would load.
 */
export async function sharingFor(
  options: Pick<ModelOptions, "shared"> | undefined,
  load: typeof importOnDemand,
): Promise<ShareSessions | null> {
  if (!options?.shared) return null;
  return (await load(() => import("../shared/share-sessions.js"))).shareSessions;
}

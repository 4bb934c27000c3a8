import type { GeneratingModelStats, ModelStats } from "framebatch";

/** What is known of which texts share a step; `null` if nothing yet, `undefined` for a model that generates none. */
export function sharingOf(stats: ModelStats): GeneratingModelStats["generation"]["sharing"] | undefined {
  return isOfTexts(stats) ? stats.generation.sharing : undefined;
}

function isOfTexts(stats: ModelStats): stats is GeneratingModelStats {
  return "generation" in stats;
}

import type { BatchRunner } from "../../client/engine/model-engine.js";
import type { WayComparison } from "./way-comparison.js";
import type { ComparedModel } from "./way-trial.js";

/** Loads the code that compares the ways to run a model. */
export type LoadWays = () => Promise<Pick<typeof import("./way-comparison.js"), "WayComparison">>;

/** The model must have computed for this time before other ways to run are worth a thought, in milliseconds. */
const LEAST_COMPUTED_MS = 3000;

/** Runs the batches of a model whose ways may be compared. */
export interface WayWatch extends BatchRunner {
  /** `null` until the model has computed enough, and for ever if the code cannot be loaded. */
  readonly comparison: WayComparison | null;
}

/**
 * Returns what loads the code that compares the ways to run a model, once the model has computed enough; `null` if
 * there is one way, or they are not compared.
 */
export function watchWays(model: ComparedModel, loadWays: LoadWays | null): WayWatch | null {
  const { pool, plan } = model;
  if (loadWays === null || !plan.request.comparesWays || pool.session.model.otherWays.length === 0) return null;
  let comparison: WayComparison | null = null;
  let leftMs = LEAST_COMPUTED_MS;
  const start = async () => {
    const loaded = await loadWays();
    comparison = new loaded.WayComparison(model);
  };
  return {
    get comparison() {
      return comparison;
    },
    async run(batch) {
      if (comparison !== null) return comparison.run(batch);
      const result = await pool.run(batch);
      // Without the code, because the page is offline or a newer build has replaced it, the model runs on as before.
      if (result.ok && leftMs > 0 && (leftMs -= result.reply.inferenceMs) <= 0) start().catch(() => undefined);
      return result;
    },
  };
}

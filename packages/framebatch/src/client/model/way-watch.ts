import type { BatchRunner } from "../engine/model-engine.js";
import type { Run, RunResult } from "../workers/run.js";
import type { WayComparison } from "./way-comparison.js";

/** The model must have computed for this time before other ways to run are worth a thought, in milliseconds. */
const LEAST_COMPUTED_MS = 3000;

/** Waits until a model has computed enough. Then loads the code that compares the ways to run it. */
export class WayWatch implements BatchRunner {
  /** `null` before it is loaded. Only this class sets it. */
  comparison: WayComparison | null = null;
  readonly #pool: BatchRunner;
  readonly #load: () => Promise<WayComparison>;
  #leftMs = LEAST_COMPUTED_MS;

  constructor(pool: BatchRunner, load: () => Promise<WayComparison>) {
    this.#pool = pool;
    this.#load = load;
  }

  async run(batch: Run): Promise<RunResult> {
    if (this.comparison !== null) return this.comparison.run(batch, this.#pool);
    const result = await this.#pool.run(batch);
    if (result.ok && this.#leftMs > 0) {
      this.#leftMs -= result.reply.inferenceMs;
      // Without the code, because the page is offline or a newer build has replaced it, the model runs on as before.
      if (this.#leftMs <= 0) this.#start().catch(() => undefined);
    }
    return result;
  }

  async #start(): Promise<void> {
    this.comparison = await this.#load();
  }
}

import type { MeasuredWay } from "../../transport/protocol.js";
import type { BatchRunner } from "../engine/model-engine.js";
import type { Run, RunResult } from "../workers/run.js";
import type { WayComparison } from "./way-comparison.js";

/** The model must have computed for this time before other ways to run are worth a thought, in milliseconds. */
const LEAST_COMPUTED_MS = 3000;

/** Waits until a model has computed enough. Then loads the code that compares the ways to run it. */
export class WayWatch implements BatchRunner {
  readonly #pool: BatchRunner;
  readonly #load: () => Promise<WayComparison>;
  readonly #known: readonly MeasuredWay[];
  #comparison: WayComparison | null = null;
  #computedMs = 0;
  #isOver = false;

  /** @param known what earlier visits have measured */
  constructor(pool: BatchRunner, load: () => Promise<WayComparison>, known: readonly MeasuredWay[]) {
    this.#pool = pool;
    this.#load = load;
    this.#known = known;
  }

  /** The ways that were measured, on this visit or on earlier ones. */
  get trials(): readonly MeasuredWay[] {
    return this.#comparison?.trials ?? this.#known;
  }

  async run(batch: Run): Promise<RunResult> {
    if (this.#comparison !== null) return this.#comparison.run(batch, this.#pool);
    const result = await this.#pool.run(batch);
    if (result.ok) this.#computed(result.reply.inferenceMs);
    return result;
  }

  /** Ends the measurement for now, because the tab is hidden. */
  rest(): void {
    this.#comparison?.rest();
  }

  dispose(): void {
    this.#isOver = true;
    this.#comparison?.dispose();
  }

  #computed(ms: number): void {
    const wasMs = this.#computedMs;
    this.#computedMs += ms;
    if (wasMs < LEAST_COMPUTED_MS && this.#computedMs >= LEAST_COMPUTED_MS) void this.#start();
  }

  /** Without the code, because the page is offline or a newer build has replaced it, the model runs on as before. */
  async #start(): Promise<void> {
    try {
      const comparison = await this.#load();
      if (!this.#isOver) this.#comparison = comparison;
    } catch {
      return;
    }
  }
}

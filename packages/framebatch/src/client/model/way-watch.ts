import type { CompletedBatch } from "../../core/queue/request.js";
import type { MeasuredWay } from "../../transport/protocol.js";
import type { Comparison } from "../engine/model-engine.js";
import type { WayComparison } from "./way-comparison.js";

/** The model must have computed for this time before other ways to run are worth a thought, in milliseconds. */
const LEAST_COMPUTED_MS = 3000;

/** Waits until a model has computed enough. Then loads the code that compares the ways to run it. */
export class WayWatch implements Comparison {
  readonly #load: () => Promise<WayComparison>;
  readonly #known: readonly MeasuredWay[];
  #comparison: WayComparison | null = null;
  #computedMs = 0;
  #isOver = false;

  /** @param known what earlier visits have measured */
  constructor(load: () => Promise<WayComparison>, known: readonly MeasuredWay[]) {
    this.#load = load;
    this.#known = known;
  }

  /** The ways that were measured, on this visit or on earlier ones. */
  get trials(): readonly MeasuredWay[] {
    return this.#comparison?.trials ?? this.#known;
  }

  /** Counts an answered batch. */
  computed(batch: Pick<CompletedBatch, "paddedSize" | "inferenceMs">): void {
    this.#comparison?.computed(batch);
    const wasMs = this.#computedMs;
    this.#computedMs += batch.inferenceMs;
    if (wasMs < LEAST_COMPUTED_MS && this.#computedMs >= LEAST_COMPUTED_MS) void this.#start();
  }

  begins(): boolean {
    return this.#comparison?.begins() ?? false;
  }

  ran(...request: Parameters<Comparison["ran"]>): void {
    this.#comparison?.ran(...request);
  }

  dispose(): void {
    this.#isOver = true;
    this.#comparison?.dispose();
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

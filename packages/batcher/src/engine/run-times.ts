import type { CostModel } from "../cost/cost-model.js";
import type { CompletedBatch } from "../queue/request.js";
import type { Outcome } from "./engine.js";
import { type InFlightBatch, Overhead } from "./in-flight.js";
import { Overlap } from "./overlap.js";
import { SlowRuns } from "./slow-runs.js";

/** A run, as far as its time depends on it. */
interface TimedBatch {
  readonly flight: InFlightBatch;
  readonly paddedSize: number;
  /** That of a row. */
  readonly volume: number;
}

/** The times of a run in milliseconds: on the engine, and of inference alone. */
export interface Times {
  readonly runMs: number;
  readonly inferenceMs: number;
}

/** Finds out how long runs take, and teaches it to the cost model. */
export class RunTimes {
  readonly #cost: CostModel;
  readonly #overhead = new Overhead();
  readonly #slowRuns = new SlowRuns();
  readonly #overlap = new Overlap();

  constructor(cost: CostModel) {
    this.#cost = cost;
  }

  /** Time of a run outside inference. */
  get overhead(): Pick<Overhead, "ms" | "hiddenMs"> {
    return this.#overhead;
  }

  /** Whether it is not known how long a run takes that was dispatched behind another one. */
  get areDoubtful(): boolean {
    return this.#overlap.isDoubtful;
  }

  /** See `Overlap`. */
  get patienceMs(): number {
    return this.#overlap.patienceMs;
  }

  /**
   * Returns what a run shows; `null` if that is in doubt, or it has failed.
   * @param runMs its time since the end of the run that it was behind, if it was
   */
  of<Result>(
    { flight, paddedSize, volume }: TimedBatch,
    outcome: Outcome<Result>,
    runMs: number,
    nowMs: number,
  ): Times | null {
    if (!("results" in outcome)) return null;
    if (outcome.inferenceMs !== undefined) return { runMs, inferenceMs: outcome.inferenceMs };
    const ms = this.#overlap.timeOf(flight, paddedSize * volume, nowMs);
    return ms === null ? null : { runMs: ms, inferenceMs: ms };
  }

  /** @param rows number of rows that the engine has run, those of others included */
  learn({ flight, volume, paddedSize }: TimedBatch, rows: number, batch: CompletedBatch, runMs: number): void {
    const startedAtMs = batch.completedAtMs - runMs;
    if (!this.#slowRuns.isBelieved(startedAtMs, batch.completedAtMs, flight.predictedMs)) return;
    const wholeMs = this.#overhead.wholeMs(runMs, batch.inferenceMs, startedAtMs > batch.dispatchedAtMs);
    // A batch of which nothing ran shows no cost.
    if (rows > 0) this.#cost.observe(rows, volume, wholeMs, paddedSize);
  }
}

import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { TimedRun } from "../../transport/protocol.js";

/** Maximum total time of the runs after the first, in milliseconds: the caller waits for the model. */
const WARM_UP_BUDGET_MS = 150;

/** A measurement repeats a run up to this time, in milliseconds: browser clocks tick in tenths of a millisecond. */
const MIN_MEASURED_MS = 1;

/** Maximum number of runs in a measurement. */
const MAX_REPEATS = 16;

/**
 * Times runs of several batch sizes within a budget. The first run of a size prepares it, so its time counts only if
 * there is no other run.
 */
export class TimedRuns {
  readonly #run: (size: number) => Promise<void>;
  readonly #volume: number;
  readonly #compiles: boolean;
  readonly #now: () => number;
  readonly timings: TimedRun[] = [];
  #firstMs = 0;
  #leftMs = WARM_UP_BUDGET_MS;

  /** @param compiles whether the first run of a size may compile, so that its time is not representative */
  constructor(
    run: (size: number) => Promise<void>,
    extents: readonly number[],
    compiles: boolean,
    now: () => number = () => performance.now(),
  ) {
    this.#run = run;
    this.#volume = volumeOf(extents);
    this.#compiles = compiles;
    this.#now = now;
  }

  /** Makes the first run. It proves that the model runs at all, so no budget applies. */
  async first(size: number): Promise<void> {
    const startMs = this.#now();
    await this.#run(size);
    this.#firstMs = this.#now() - startMs;
  }

  /** Time of the first run, with its preparation, in milliseconds. */
  get firstMs(): number {
    return this.#firstMs;
  }

  /**
   * Times the size that has run, then the larger sizes until one is predicted to exceed the budget, then the first size
   * again: its earlier time was that of code and memory that had hardly been used, so batches would seem to pay.
   */
  async measure(size: number, larger: readonly number[]): Promise<void> {
    await this.#again(size, this.#firstMs, this.#compiles ? 0 : this.#firstMs);
    for (const next of larger) {
      const predictedMs = this.#predict(next);
      if (predictedMs > this.#leftMs) break;
      await this.#again(next, await this.#spend(next, 1), predictedMs);
    }
    await this.#correctFirst();
  }

  async #correctFirst(): Promise<void> {
    const [first, ...others] = this.timings;
    if (first === undefined || others.length === 0 || first.ms > this.#leftMs) return;
    this.timings[0] = { ...first, ms: Math.min(first.ms, await this.#spend(first.size, MAX_REPEATS)) };
  }

  /** Times a size whose first run took `preparingMs`. */
  async #again(size: number, preparingMs: number, predictedMs: number): Promise<void> {
    if (predictedMs <= this.#leftMs) this.#note(size, await this.#spend(size, MAX_REPEATS));
    else if (!this.#compiles) this.#note(size, preparingMs);
  }

  #note(size: number, ms: number): void {
    this.timings.push({ size, volume: this.#volume, ms });
  }

  /** Runs a size at most `mostRuns` times. Returns the mean time of a run, in milliseconds. */
  async #spend(size: number, mostRuns: number): Promise<number> {
    const startMs = this.#now();
    let [runs, takenMs] = [0, 0];
    do {
      await this.#run(size);
      runs += 1;
      takenMs = this.#now() - startMs;
    } while (runs < mostRuns && takenMs < MIN_MEASURED_MS);
    this.#leftMs -= takenMs;
    return takenMs / runs;
  }

  /** Extrapolates linearly from the last two timings, in milliseconds. A size that only compiled has no timing. */
  #predict(size: number): number {
    const [before, last] = this.timings.length > 1 ? this.timings.slice(-2) : [undefined, this.timings[0]];
    if (last === undefined) return Infinity;
    if (before === undefined) return (last.ms * size) / last.size;
    return last.ms + (Math.max(0, last.ms - before.ms) / (last.size - before.size)) * (size - last.size);
  }
}

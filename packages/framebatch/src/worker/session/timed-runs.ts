import { volumeOf } from "../../core/shape.js";
import type { TimedRun } from "../../core/protocol/protocol.js";

/** What the runs after the first may take together, in milliseconds: someone waits for the model. */
const BUDGET_MS = 150;

/** A measurement is repeated up to this time, in milliseconds, since the clocks of pages tick in tenths of a millisecond. */
const LEAST_MEASURED_MS = 1;
const MOST_REPEATS = 16;

/** Times runs of several sizes, as far as the budget goes. The first run of a size prepares it and counts only for want of another. */
export class TimedRuns {
  readonly #run: (size: number) => Promise<void>;
  readonly #volume: number;
  readonly #compiles: boolean;
  readonly #now: () => number;
  readonly timings: TimedRun[] = [];
  #firstMs = 0;
  #leftMs = BUDGET_MS;

  /** @param compiles whether the first run of a size may take so much longer that its time says nothing */
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

  /** Runs for the first time, which proves that the model runs at all: no budget speaks against it. */
  async first(size: number): Promise<void> {
    const startMs = this.#now();
    await this.#run(size);
    this.#firstMs = this.#now() - startMs;
  }

  /** What the first run took, with all that it prepared, in milliseconds. */
  get firstMs(): number {
    return this.#firstMs;
  }

  /** Times the size that has run, and then the larger ones that are predicted to be within the budget. */
  async measure(size: number, larger: readonly number[]): Promise<void> {
    await this.#again(size, this.#firstMs, this.#compiles ? 0 : this.#firstMs);
    for (const next of larger) {
      const predictedMs = this.#predict(next);
      if (predictedMs > this.#leftMs) return;
      await this.#again(next, await this.#spend(next, 1), predictedMs);
    }
  }

  /** Times a size that has run in `preparingMs`. */
  async #again(size: number, preparingMs: number, predictedMs: number): Promise<void> {
    if (predictedMs <= this.#leftMs) this.#note(size, await this.#spend(size, MOST_REPEATS));
    else if (!this.#compiles) this.#note(size, preparingMs);
  }

  #note(size: number, ms: number): void {
    this.timings.push({ size, volume: this.#volume, ms });
  }

  /** Mean time of a run, at most so many of them, in milliseconds. */
  async #spend(size: number, mostRuns: number): Promise<number> {
    const startMs = this.#now();
    let [runs, takenMs] = [0, 0];
    do {
      await this.#run(size);
      runs += 1;
      takenMs = this.#now() - startMs;
    } while (runs < mostRuns && takenMs < LEAST_MEASURED_MS);
    this.#leftMs -= takenMs;
    return takenMs / runs;
  }

  /** As a straight line through the last two sizes has it; nothing is known of a size that only compiled. */
  #predict(size: number): number {
    const [before, last] = this.timings.length > 1 ? this.timings.slice(-2) : [undefined, this.timings[0]];
    if (last === undefined) return Infinity;
    if (before === undefined) return (last.ms * size) / last.size;
    return last.ms + (Math.max(0, last.ms - before.ms) / (last.size - before.size)) * (size - last.size);
  }
}

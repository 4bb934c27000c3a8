/** A run that takes less than this is never hung, in milliseconds: a machine can be busy with something else. */
const LEAST_PATIENCE_MS = 10_000;

/** For runs of a model of which nobody knows how long they take, in milliseconds. */
const BLIND_PATIENCE_MS = 60_000;

/** Beyond so many times its predicted time a run is not late but hung. */
const TIMES_PREDICTED = 20;

/** Time between two ticks, in milliseconds, and at least so many of them in any wait. */
const LONGEST_TICK_MS = 1000;
const LEAST_TICKS = 5;

/** How long to wait for a run, in milliseconds: as its user has said, or by its prediction, `null` where there is none. */
export function patienceMs(predictedMs: number | null, runTimeoutMs: number | null): number {
  if (runTimeoutMs !== null) return runTimeoutMs;
  return predictedMs === null ? BLIND_PATIENCE_MS : Math.max(LEAST_PATIENCE_MS, TIMES_PREDICTED * predictedMs);
}

/**
 * Tells how long a worker has been silent while something was asked of it. It counts ticks and not time, as `StallTimer` does:
 * who sleeps, is frozen or is throttled misses ticks, and so does a page that is too busy to hear an answer. Between two
 * ticks there is at least their distance, so the silence is never said to be longer than it was.
 */
export class HangWatch {
  readonly #onSilence: (silentMs: number) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #ticks = 0;

  constructor(onSilence: (silentMs: number) => void) {
    this.#onSilence = onSilence;
  }

  /** Goes on if it has begun. @param leastPatienceMs of anything that will be asked before it stops */
  start(leastPatienceMs: number): void {
    if (this.#timer !== null) return;
    this.#ticks = 0;
    this.#tickAfter(Math.min(LONGEST_TICK_MS, leastPatienceMs / LEAST_TICKS));
  }

  heard(): void {
    this.#ticks = 0;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tickAfter(tickMs: number): void {
    this.#timer = setTimeout(() => {
      this.#tickAfter(tickMs);
      this.#ticks += 1;
      // The first one may come right after the last sign of life.
      this.#onSilence((this.#ticks - 1) * tickMs);
    }, tickMs);
  }
}

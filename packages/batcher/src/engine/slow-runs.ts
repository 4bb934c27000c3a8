/** A run that takes no longer than this is always believed, in milliseconds. */
const LONG_MS = 1000;

/** A run is slow if it takes more than this many times its predicted time. */
const TIMES_PREDICTED = 2;

/**
 * Decides whether the time of a run shows what runs cost. A frozen tab, a sleeping computer or a blocked thread learns of
 * the end of a run late, and what seems to be its time is then that of the sleep. So the first slow run is not believed.
 * If the next run is slow too, that is what runs take.
 */
export class SlowRuns {
  /** When the first slow run since the last one that was not slow ended, in milliseconds; `null` if there is none. */
  #firstEndedAtMs: number | null = null;

  /** @param predictedMs predicted time of the run, in milliseconds; 0 if unknown */
  isBelieved(startedAtMs: number, endedAtMs: number, predictedMs: number): boolean {
    if (endedAtMs - startedAtMs <= Math.max(LONG_MS, TIMES_PREDICTED * predictedMs)) {
      this.#firstEndedAtMs = null;
      return true;
    }
    this.#firstEndedAtMs ??= endedAtMs;
    // Runs that overlapped with the first one slept with it.
    return startedAtMs >= this.#firstEndedAtMs;
  }
}

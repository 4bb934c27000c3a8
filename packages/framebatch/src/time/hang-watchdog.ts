import { after, type Timer } from "./host-timer.js";

/** A run that takes less than this is never hung, in milliseconds: a machine can be busy with something else. */
const LEAST_PATIENCE_MS = 10_000;

/** For what nobody knows the time of: runs of a new model, and each step of the start of a worker. In milliseconds. */
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

/** How long a worker may say nothing as it starts, in milliseconds: `runTimeoutMs` where that is longer, since it runs the model. */
export function startPatienceMs(runTimeoutMs: number | null): number {
  return Math.max(BLIND_PATIENCE_MS, runTimeoutMs ?? 0);
}

/**
 * Tells how long a worker has been silent while something was asked of it. It counts ticks and not time, as `Watchdog` does:
 * who sleeps, is frozen or is throttled misses ticks, and so does a page that is too busy to hear an answer. Between two
 * ticks there is at least their distance, so the silence is never said to be longer than it was.
 *
 * A hidden page's own timers come once a minute in the end, so all ticks but the first are those of a timer that comes on time
 * there. That one may cost a worker, which a run that is over before the first tick is not worth. Nor is such a run worth a timer of
 * its own, which takes as long as a tenth of a small run: the first timer stays when the watch stops, and serves the next start.
 */
export class HangWatchdog {
  readonly #timer: Timer;
  readonly #onSilence: (silentMs: number) => void;
  /** The page's own timer for the first tick. */
  #first: { readonly tickMs: number; readonly cancel: () => void } | null = null;
  #cancel: (() => void) | null = null;
  #isOn = false;
  #ticks = 0;

  constructor(timer: Timer, onSilence: (silentMs: number) => void) {
    this.#timer = timer;
    this.#onSilence = onSilence;
  }

  /** Goes on if it has begun. @param leastPatienceMs of anything that will be asked before it stops */
  start(leastPatienceMs: number): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#ticks = 0;
    const tickMs = Math.min(LONGEST_TICK_MS, leastPatienceMs / LEAST_TICKS);
    if (this.#first === null || this.#first.tickMs > tickMs) this.#setFirst(tickMs);
  }

  heard(): void {
    this.#ticks = 0;
  }

  stop(): void {
    this.#isOn = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  #setFirst(tickMs: number): void {
    this.#first?.cancel();
    const cancel = after(tickMs, () => {
      this.#first = null;
      if (this.#isOn) this.#tick(tickMs);
    });
    this.#first = { tickMs, cancel };
  }

  #tick(tickMs: number): void {
    this.#cancel = after(tickMs, () => this.#tick(tickMs), this.#timer);
    this.#ticks += 1;
    // The first tick may come right after the start, or the last sign of life.
    this.#onSilence((this.#ticks - 1) * tickMs);
  }
}

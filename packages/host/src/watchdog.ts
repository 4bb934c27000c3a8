import { type Timer, after } from "./host-timer.js";

/** Number of ticks in a timeout. */
const WATCHDOG_TICKS = 10;

/**
 * Calls `onStall` when `restart` has not been called for the timeout. Counts ticks instead of elapsed time: a thread
 * that was blocked, frozen or asleep misses ticks, so the time that it lost does not count. Waits for one extra tick,
 * because the first tick after a block may run before the messages that have arrived during the block.
 */
export class Watchdog {
  readonly #timer: Timer;
  readonly #onStall: (timeoutMs: number) => void;
  #timeoutMs: number;
  #cancel: () => void = () => undefined;

  constructor(timer: Timer, timeoutMs: number, onStall: (timeoutMs: number) => void) {
    this.#timer = timer;
    this.#timeoutMs = timeoutMs;
    this.#onStall = onStall;
    this.restart();
  }

  /** Restarts the full timeout. @param timeoutMs new timeout, in milliseconds; default: the current one */
  restart(timeoutMs: number = this.#timeoutMs): void {
    this.stop();
    this.#timeoutMs = timeoutMs;
    this.#wait(WATCHDOG_TICKS + 1);
  }

  stop(): void {
    this.#cancel();
  }

  #wait(ticks: number): void {
    const atMs = this.#timer.now() + this.#timeoutMs / WATCHDOG_TICKS;
    this.#cancel = this.#timer.schedule(atMs, () => {
      if (ticks > 1) this.#wait(ticks - 1);
      else this.#onStall(this.#timeoutMs);
    });
  }
}

/** Minimum timeout of a run with a predicted time, in milliseconds: the machine may be busy with other work. */
const MIN_RUN_TIMEOUT_MS = 10_000;

/** Timeout when there is no prediction, in milliseconds: for runs of a new model and each step of a worker's start. */
const UNPREDICTED_TIMEOUT_MS = 60_000;

/** A run that takes more than this many times its predicted time is considered hung. */
const TIMES_PREDICTED = 20;

/** Maximum time between two ticks, in milliseconds. */
const MAX_TICK_MS = 1000;

/** Minimum number of ticks in any timeout. */
const MIN_TICKS = 5;

/**
 * Timeout of a run, in milliseconds: `runTimeoutMs` if the user has set it, otherwise derived from `predictedMs`.
 *
 * @param predictedMs predicted time of the run, in milliseconds; `null` if there is no prediction
 */
export function runTimeoutFor(predictedMs: number | null, runTimeoutMs: number | null): number {
  if (runTimeoutMs !== null) return runTimeoutMs;
  return predictedMs === null ? UNPREDICTED_TIMEOUT_MS : Math.max(MIN_RUN_TIMEOUT_MS, TIMES_PREDICTED * predictedMs);
}

/** Maximum silence of a starting worker, in milliseconds: at least `runTimeoutMs`, because the start runs the model. */
export function startTimeoutFor(runTimeoutMs: number | null): number {
  return Math.max(UNPREDICTED_TIMEOUT_MS, runTimeoutMs ?? 0);
}

/**
 * Reports how long a worker has been silent while calls are pending. Counts ticks instead of elapsed time, as
 * `Watchdog` does: a page that sleeps, is frozen or is throttled misses ticks, and so does a page that is too busy to
 * handle a reply. Two ticks are never closer together than the tick interval, so the reported silence never exceeds
 * the real one.
 *
 * Browsers reduce the timers of a hidden page to one call a minute in the end, so all ticks but the first use `timer`,
 * which stays on time there. `timer` may cost a worker, which is too much for a run that ends before the first tick.
 * The first tick uses the page's own timer. Setting it takes up to a tenth of the time of a small run, so it stays set
 * when the watch stops, and the next start reuses it.
 */
export class HangWatchdog {
  readonly #timer: Timer;
  readonly #onSilence: (silentMs: number) => void;
  /** The page's own timer, used for the first tick only. */
  #first: { readonly tickMs: number; readonly cancel: () => void } | null = null;
  #cancel: (() => void) | null = null;
  #isOn = false;
  #ticks = 0;

  constructor(timer: Timer, onSilence: (silentMs: number) => void) {
    this.#timer = timer;
    this.#onSilence = onSilence;
  }

  /**
   * Starts the watch. Does nothing if the watch is on.
   *
   * @param minTimeoutMs minimum timeout of all calls that are made before `stop`, in milliseconds
   */
  start(minTimeoutMs: number): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#ticks = 0;
    const tickMs = Math.min(MAX_TICK_MS, minTimeoutMs / MIN_TICKS);
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
    // The first tick may come immediately after the start or the last message, so it is not counted.
    this.#onSilence((this.#ticks - 1) * tickMs);
  }
}

import type { Timer } from "../../time/host-timer.js";
import { HangWatchdog } from "../../time/hang-watchdog.js";

/** A run that is open. Callers compare it by identity when a worker has died. */
export interface PendingRun {
  /** How long the worker may say nothing while this is the run that it works on, in milliseconds. */
  readonly timeoutMs: number;
  /** Items in it. */
  readonly size: number;
}

/** What a worker is at: the runs that it was given, which it takes in order, and its check of batches, which comes between them. */
export class PendingRuns {
  readonly #runs = new Set<PendingRun>();
  readonly #watch: HangWatchdog;
  #checkedRows = 0;

  /** @param onHung hears that the worker has been silent for longer than it may be */
  constructor(timer: Timer, onHung: (timeoutMs: number) => void) {
    this.#watch = new HangWatchdog(timer, (silentMs) => {
      // A run of the check may hold more rows than the run that waits behind it.
      const timeoutMs = (this.#first?.timeoutMs ?? Infinity) * Math.max(1, this.#checkedRows);
      if (silentMs >= timeoutMs) onHung(timeoutMs);
    });
  }

  /** The run that the worker is at. */
  get current(): PendingRun | null {
    return this.isChecking ? null : this.#first;
  }

  /** Whether it is at a run of its check. */
  get isChecking(): boolean {
    return this.#checkedRows > 0;
  }

  opened(run: PendingRun): void {
    this.#runs.add(run);
    this.#watch.start(run.timeoutMs);
  }

  /** A worker answers in order: one that has answered a later run and not this one will never answer it. */
  closed(run: PendingRun): void {
    if (run === this.#first) this.#watch.heard();
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#watch.stop();
  }

  /** A run of the check begins, or with 0 rows has ended. */
  checking(rows: number): void {
    this.#checkedRows = rows;
    this.#watch.heard();
  }

  /** The worker has been ended. */
  stop(): void {
    this.#watch.stop();
  }

  get #first(): PendingRun | null {
    return this.#runs.values().next().value ?? null;
  }
}

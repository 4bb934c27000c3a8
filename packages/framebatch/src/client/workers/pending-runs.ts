import type { Turn } from "../../transport/protocol.js";
import type { Timer } from "../../time/host-timer.js";
import { OpenSet } from "../../core/open-set.js";
import { HangWatchdog } from "../../time/hang-watchdog.js";

/** A run in flight. After a crash, callers compare it by identity. */
export interface PendingRun {
  /** Maximum silence of the worker while it executes this run, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether parts of the run follow if it fails, to find the item at fault. A crash in it is then part of the search. */
  readonly isDivided: boolean;
}

/**
 * The runs in flight of one worker, and its check of batches. The worker executes its runs in order; runs of the check
 * come between them. Detects a worker that hangs.
 */
export class PendingRuns {
  readonly #runs = new OpenSet<PendingRun>();
  readonly #watch: HangWatchdog;
  #checkedRows = 0;
  /** The last run of a shared worker that it has told this page. */
  #turn: Turn;
  #servesOthers = false;
  readonly #whenIdle: (() => void)[] = [];

  /**
   * @param onHung called when the worker has been silent for `timeoutMs` milliseconds, the maximum for its current run
   * @param isShared whether other pages use the worker. Runs then wait until `turn` says otherwise.
   */
  constructor(timer: Timer, onHung: (timeoutMs: number) => void, isShared = false) {
    this.#turn = { owner: isShared ? "other" : "page", timeoutMs: 0 };
    this.#watch = new HangWatchdog(timer, (silentMs) => {
      // A run of the check may hold more rows than the run that waits for it, and the run of another page other rows.
      const ownMs = (this.#first?.timeoutMs ?? Infinity) * Math.max(1, this.#checkedRows);
      const timeoutMs = this.#isForeign ? Math.max(ownMs, this.#turn.timeoutMs) : ownMs;
      if (silentMs >= timeoutMs) onHung(timeoutMs);
    });
  }

  /** The run that the worker executes; `null` if it is idle, or executes a run of its check or with rows of other pages. */
  get current(): PendingRun | null {
    return this.isChecking || this.#isForeign ? null : this.#first;
  }

  /** Whether a run of this page waits while the worker executes one with rows of several pages. */
  get isMerging(): boolean {
    return this.#turn.owner === "several" && this.#first !== null;
  }

  /** Whether the worker executes a run of its check. */
  get isChecking(): boolean {
    return this.#checkedRows > 0;
  }

  /** Whether a run with rows of other pages has begun. */
  get servesOthers(): boolean {
    return this.#servesOthers;
  }

  /** Adds a run that is being sent to the worker. */
  opened(run: PendingRun): void {
    this.#runs.add(run);
    this.#watch.start(run.timeoutMs);
  }

  /**
   * Removes a run that has settled. Only the first run counts as a sign of life: the worker answers in order, so after
   * it has answered a later run it never answers the first.
   */
  closed(run: PendingRun): void {
    if (run === this.#first) this.#watch.heard();
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.stop();
  }

  /** Resolves when no run is in flight, or the worker has been ended. */
  async idle(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Notes that a run of the check begins; with 0 rows, that it has ended. */
  checking(rows: number): void {
    this.#checkedRows = rows;
    this.#watch.heard();
  }

  /** Notes that a run of a shared worker begins. */
  turn(turn: Turn): void {
    this.#turn = turn;
    this.#servesOthers ||= this.#isForeign;
    this.#watch.heard();
  }

  /** Stops the hang detection: no run is in flight, or the worker has been ended. */
  stop(): void {
    this.#watch.stop();
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  get #isForeign(): boolean {
    return this.#turn.owner !== "page";
  }

  get #first(): PendingRun | null {
    return this.#runs.first ?? null;
  }
}

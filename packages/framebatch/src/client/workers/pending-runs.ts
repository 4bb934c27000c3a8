import type { Turn } from "../../transport/protocol.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import { OpenSet } from "@framebatch/batcher/queue/open-set.js";
import { HangWatchdog, runTimeoutFor } from "@framebatch/host/hang-watchdog.js";

/** A run in flight. After a crash, callers compare it by identity. */
export interface PendingRun {
  /** Maximum silence of the worker while it executes this run, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether parts of the run follow if it fails, to find the item at fault. A crash in it is then part of the search. */
  readonly isDivided: boolean;
}

/**
 * The runs in flight of one worker, and its check of batches. The worker executes its runs in order, unless it tells that
 * one overtakes an earlier run whose `preprocess` waits; runs of the check come between them. Detects a worker that hangs.
 */
export class PendingRuns {
  readonly #runs = new OpenSet<PendingRun>();
  /** Those that have succeeded, and settle in this turn of the event loop. */
  readonly #succeeded = new WeakSet<PendingRun>();
  /** The runs of items, by their first item. */
  readonly #byItem = new Map<number, PendingRun>();
  /** The run that the worker executes although an earlier one is open; `null` if none has overtaken. */
  #overtaking: { readonly run: PendingRun; readonly sinceSilentMs: number } | null = null;
  /** How long the worker has been silent at the last tick. */
  #silentMs = 0;
  readonly #timer: Timer;
  readonly #isShared: boolean;
  readonly #watch: HangWatchdog;
  /** The run of its check that the worker executes; `null` if it executes none. */
  #check: { readonly rows: number; readonly sinceMs: number } | null = null;
  /** The longest time of a row in the runs of the check that have ended, in milliseconds; `null` before the first. */
  #checkedRowMs: number | null = null;
  /** The last run of a shared worker that it has told this page. */
  #turn: Turn;
  #servesOthers = false;
  readonly #whenIdle: (() => void)[] = [];

  /**
   * @param onHung called when the worker has been silent for `timeoutMs` milliseconds, the maximum for its current run.
   * `culprit` is the run that has hung; `null` if it is none of this page
   * @param isShared whether other pages use the worker. Runs then wait until `turn` says otherwise.
   */
  constructor(timer: Timer, onHung: (timeoutMs: number, culprit: PendingRun | null) => void, isShared = false) {
    this.#timer = timer;
    this.#isShared = isShared;
    this.#turn = { owner: isShared ? "other" : "page", timeoutMs: 0 };
    this.#watch = new HangWatchdog(timer, (silentMs) => {
      this.#silentMs = silentMs;
      const timeoutMs = this.#timeoutMs;
      if (silentMs >= timeoutMs) onHung(timeoutMs, this.#hung);
    });
  }

  /** The run that the worker executes; `null` if it is idle, or executes a run of its check or with rows of other pages. */
  get current(): PendingRun | null {
    return this.#executes(this.#overtaking?.run ?? this.#first);
  }

  /** Whether a run of this page waits while the worker executes one with rows of several pages. */
  get isMerging(): boolean {
    return this.#turn.owner === "several" && this.#first !== null;
  }

  /** Whether the worker executes a run of its check. */
  get isChecking(): boolean {
    return this.#check !== null;
  }

  /** Whether a run with rows of other pages has begun. */
  get servesOthers(): boolean {
    return this.#servesOthers;
  }

  /**
   * Adds a run that is being sent to the worker.
   * @param firstItem the first item of a run of items, by which the worker names it
   */
  opened(run: PendingRun, firstItem: number | null = null): void {
    this.#succeeded.delete(run);
    this.#runs.add(run);
    if (firstItem !== null) this.#byItem.set(firstItem, run);
    this.#watch.start(run.timeoutMs);
  }

  /** Notes that the answer to a run has come. It stays in flight until it has settled. */
  succeeded(run: PendingRun): void {
    this.#over(run);
    this.#succeeded.add(run);
  }

  /** Removes a run that has settled. */
  closed(run: PendingRun, firstItem: number | null = null): void {
    this.#over(run);
    this.#runs.delete(run);
    if (firstItem !== null) this.#byItem.delete(firstItem);
    if (this.#runs.size === 0) this.stop();
  }

  /**
   * The worker no longer executes this run. Only the first run counts as a sign of life: without handlers the worker answers
   * in order, so after it has answered a later run it never answers the first.
   */
  #over(run: PendingRun): void {
    if (run === this.#first) this.#heard();
    if (run === this.#overtaking?.run) this.#overtaking = null;
  }

  /** Notes that the run with this first item begins, and not the one that the page must assume. No sign of life of the first. */
  executing(firstItem: number): void {
    const run = this.#byItem.get(firstItem);
    const isFirst = run === undefined || run === this.#first;
    // Items of several pages may have the same number; a shared worker tells whose run it executes.
    if (!this.#isShared) this.#overtaking = isFirst ? null : { run, sinceSilentMs: this.#silentMs };
  }

  /** Resolves when no run is in flight, or the worker has been ended. */
  async idle(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Notes that a run of the check begins; with 0 rows, that it has ended. */
  checking(rows: number): void {
    const nowMs = this.#timer.now();
    if (this.#check !== null) {
      const { rows: ended, sinceMs } = this.#check;
      this.#checkedRowMs = Math.max(this.#checkedRowMs ?? 0, (nowMs - sinceMs) / ended);
    }
    this.#check = rows > 0 ? { rows, sinceMs: nowMs } : null;
    this.#heard();
  }

  /** Notes that a run of a shared worker begins. */
  turn(turn: Turn): void {
    this.#turn = turn;
    this.#servesOthers ||= this.#isForeign;
    this.#heard();
  }

  /** Stops the hang detection: no run is in flight, or the worker has been ended. */
  stop(): void {
    this.#watch.stop();
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #heard(): void {
    this.#watch.heard();
    this.#silentMs = 0;
    if (this.#overtaking !== null) this.#overtaking = { ...this.#overtaking, sinceSilentMs: 0 };
  }

  /** Maximum silence of the worker now, in milliseconds. */
  get #timeoutMs(): number {
    const firstMs = this.#first?.timeoutMs ?? Infinity;
    const othersMs = this.#isForeign ? this.#turn.timeoutMs : 0;
    return Math.max(firstMs, this.#checkTimeoutMs, othersMs, this.#overtaking?.run.timeoutMs ?? 0);
  }

  /** Maximum silence in a run of the check, which may hold more rows than the run that waits for it. */
  get #checkTimeoutMs(): number {
    if (this.#check === null) return 0;
    return runTimeoutFor(this.#checkedRowMs === null ? null : this.#checkedRowMs * this.#check.rows, null);
  }

  /** The run that has hung: one that overtakes for too long, or else the first, whose `preprocess` never ends. */
  get #hung(): PendingRun | null {
    const later = this.#overtaking;
    const isLater = later !== null && this.#silentMs - later.sinceSilentMs >= later.run.timeoutMs;
    return this.#executes(isLater ? later.run : this.#first);
  }

  #executes(run: PendingRun | null): PendingRun | null {
    return this.isChecking || this.#isForeign ? null : run;
  }

  get #isForeign(): boolean {
    return this.#turn.owner !== "page";
  }

  get #first(): PendingRun | null {
    for (const run of this.#runs) if (!this.#succeeded.has(run)) return run;
    return null;
  }
}

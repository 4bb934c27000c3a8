import type { RunReply, Turn } from "../../transport/protocol.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import { HangWatchdog, runTimeoutFor } from "@framebatch/host/watchdog.js";
import type { WorkerClient } from "./worker-client.js";

/** A run in flight. After a crash, callers compare it by identity. */
export interface PendingRun {
  /** Maximum silence of the worker while it executes this run, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Whether parts of the run follow if it fails, to find the item at fault. A crash in it is then part of the search.
   */
  readonly isDivided: boolean;
}

/** A batch on its way to a worker and back, possibly in several attempts. */
export interface Run extends PendingRun {
  /** Makes an attempt. @throws what ended the worker, or why the batch must not run on it */
  readonly runOn: (client: WorkerClient, run: PendingRun) => Promise<RunResult>;
  /** Whether it can run once more after it was answered: the page keeps all of its rows. */
  readonly mayRepeat: boolean;
  /** Number of items. */
  readonly size: number;
  /** Whether it is a step of the search for the item that makes a batch fail. */
  readonly isStep: boolean;
  /** Predicted duration, in milliseconds; `null` while no run time is known. */
  readonly predictedMs: number | null;
  /** See `PendingRun`. The slot that takes the run sets it. */
  timeoutMs: number;
}

/** The replies to a run that has succeeded. */
export type Success = Extract<RunReply, { readonly ok: true }>;

/** The outcome of a run on a worker that can continue. */
export type RunResult = { readonly ok: true; readonly reply: Success } | FailedRun;

/** A run that has failed on a worker that can continue. */
export interface FailedRun {
  readonly ok: false;
  readonly error: Error;
  /** Whether a part of the batch was not in the run: the failure shows nothing of it. @default false */
  readonly isPartial?: boolean;
  /** Whether nothing was sent. @default false */
  readonly isUnsent?: boolean;
}

/** A run in flight on one worker. */
export interface OpenRun {
  readonly run: PendingRun;
  /** The first item of a run of items, by which the worker names it; otherwise `null`. */
  readonly firstItem: number | null;
  /** By which the worker answers it, see `RunMessage`; `null` for what has its answer elsewhere. */
  readonly number: number | null;
  readonly resolve: (result: RunResult) => void;
  readonly reject: (reason: unknown) => void;
  /** Gets the reply first, if it returns what only the worker has; otherwise `null`. */
  readonly returned: ((reply: RunReply) => void) | null;
}

const nobody = (): void => undefined;

/** What is in flight without a number, but for its run. */
export const UNNUMBERED = { firstItem: null, number: null, resolve: nobody, reject: nobody, returned: null } as const;

/**
 * The runs in flight of one worker, and its check of batches. The worker executes its runs in order, unless it tells
 * that one overtakes an earlier run whose `preprocess` waits; runs of the check come between them. Detects a worker
 * that hangs.
 */
export class PendingRuns {
  /** In the order in which they were sent. Those that have succeeded are no longer among them. */
  readonly #runs: OpenRun[] = [];
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

  /**
   * The run that the worker executes; `null` if it is idle, or executes a run of its check or with rows of other pages.
   */
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

  /** Adds a run that was sent to the worker. */
  opened(open: OpenRun): OpenRun {
    this.#runs.push(open);
    this.#watch.start(open.run.timeoutMs);
    return open;
  }

  /**
   * Returns the run that an answer is for; `null` if there is none. A run that has succeeded is over. One that has
   * failed is not before `closed`: if it has ended the worker, that must be blamed on it.
   */
  answered(number: number, hasSucceeded: boolean): OpenRun | null {
    for (let index = 0; index < this.#runs.length; index += 1) {
      const open = this.#runs[index]!;
      if (open.number !== number) continue;
      if (hasSucceeded) this.#close(index);
      return open;
    }
    return null;
  }

  /** Removes a run that has settled. */
  closed(open: OpenRun): void {
    const index = this.#runs.indexOf(open);
    if (index >= 0) this.#close(index);
  }

  /** Rejects all runs, which are over. Those whose answers return what only the worker has may still be answered. */
  reject(reason: unknown): void {
    const all = this.#runs.splice(0);
    this.#runs.push(...all.filter(({ returned }) => returned !== null));
    for (const open of all) open.reject(reason);
  }

  /**
   * The worker no longer executes this run. Only the first run counts as a sign of life: without handlers the worker
   * answers in order, so after it has answered a later run it never answers the first.
   */
  #close(index: number): void {
    const { run } = this.#runs[index]!;
    if (run === this.#overtaking?.run) this.#overtaking = null;
    this.#runs.splice(index, 1);
    if (this.#runs.length === 0) {
      this.#silentMs = 0;
      this.stop();
    } else if (index === 0) this.#heard();
  }

  /**
   * Notes that the run with this first item begins, and not the one that the page must assume. No sign of life of the
   * first.
   */
  executing(firstItem: number): void {
    const run = this.#runs.find((open) => open.firstItem === firstItem)?.run;
    const isFirst = run === undefined || run === this.#first;
    // Items of several pages may have the same number; a shared worker tells whose run it executes.
    if (!this.#isShared) this.#overtaking = isFirst ? null : { run, sinceSilentMs: this.#silentMs };
  }

  /** Resolves when no run is in flight, or the worker has been ended. */
  async idle(): Promise<void> {
    if (this.#runs.length > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
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
    if (this.#whenIdle.length > 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
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
    return this.#runs[0]?.run ?? null;
  }
}

import type { FrameGrid } from "../../clock.js";
import type { ReleaseReason } from "../../release-reason.js";

/**
 * All inputs of a release rule. Times are on the batcher's clock, in milliseconds. Each is computed when a rule reads
 * it.
 */
export interface ReleaseContext {
  readonly nowMs: number;
  /** Number of queued requests that may run together now, at least 1. */
  readonly queued: number;
  /** Maximum number of requests in one batch. */
  readonly maxBatchSize: number;
  /** Whether enough requests are queued for the batch size with the best rate. */
  isFull(): boolean;
  /** Whether other requests, of no lower priority, are queued that cannot run with these. */
  readonly othersWait: boolean;
  /** When the engine would start a batch: now, or the predicted end of its current work. */
  readonly startMs: number;
  /** When the batch must be formed so that the engine does not wait for it. */
  readonly formAtMs: number;
  /** When a run takes so much longer than predicted that no batch may wait for its answer alone. */
  readonly overdueAtMs: number;
  /** Whether the tab is hidden. Its timers then fire late. */
  readonly isHidden: boolean;
  /** Returns the predicted time of a run of `size` requests; 0 while no run time is known. */
  predictMs(size: number): number;
  /** Safety margin for errors of the prediction and for late timers. */
  readonly marginMs: number;
  /** Whether the requests of one frame of `periodMs` keep the engine busy for nearly the whole frame. */
  isEngineBusy(periodMs: number): boolean;
  /**
   * When frames paint; `null` if no wait for one is possible: none paint, no run time is known, or all callers wait for
   * answers.
   */
  readonly grid: FrameGrid | null;
  /** Whether a wait that costs no visible latency pays off. */
  doesWaitPayOff(): boolean;
  /** The latest start that meets the leader's timeout and latency objective; `Infinity` if it has neither. */
  readonly mustStartByMs: number;
  /** The frame that the wait in progress aims at; `null` if no wait is in progress. */
  readonly targetFrameMs: number | null;
  /** When the window of the oldest request closes. */
  readonly windowClosesAtMs: number;
}

/** Timers fire up to this much late, in milliseconds. */
export const TIMER_LATENESS_MS = 4;

/** A wait for more requests that costs no visible latency: its end, and the frame that then paints the batch. */
export interface FreeWait {
  readonly untilMs: number;
  readonly frameMs: number;
}

/** Dispatch a batch now. */
export interface Dispatch {
  readonly action: "dispatch";
  readonly reason: ReleaseReason;
  /** Whether to dispatch all requests together; otherwise the planner chooses how many. */
  readonly isWhole: boolean;
  /** The free wait that is not taken, because it does not pay off; `null` if there is none. */
  readonly free: FreeWait | null;
}

/** Look again at `untilMs`, or on the next event: a request arrives or is withdrawn, or a batch ends. */
export interface Wait {
  readonly action: "wait";
  readonly untilMs: number;
  /** The free wait that this is; `null` if the wait is for the engine. */
  readonly free: FreeWait | null;
}

export type Decision = Dispatch | Wait;

export function waitUntil(untilMs: number, free: FreeWait | null = null): Wait {
  return { action: "wait", untilMs, free };
}

export function send(reason: ReleaseReason, isWhole = false, free: FreeWait | null = null): Dispatch {
  return { action: "dispatch", reason, isWhole, free };
}

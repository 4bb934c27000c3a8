import type { FrameGrid } from "../../clock.js";
import type { ReleaseReason } from "../../release-reason.js";

/** All that a release rule decides from. Times are on the batcher's clock, in milliseconds. */
export interface ReleaseContext {
  readonly nowMs: number;
  /** Requests that may ride together now, from 1. */
  readonly queued: number;
  /** Most of them in one batch. */
  readonly maxBatchSize: number;
  /** Whether as many wait as the best run has. */
  readonly isFull: () => boolean;
  /** Whether requests wait that do not ride with these. */
  readonly othersWait: boolean;
  /** When the engine would start a batch: now, or the predicted end of what it runs. */
  readonly startMs: number;
  /** When the batch must be formed so that the engine need not wait for it; `Infinity` to wait until something happens. */
  readonly formAtMs: number;
  /** Whether the tab is hidden, so that timers come late. */
  readonly isHidden: boolean;
  /** Predicted time of a run of so many requests; `null` while nothing is known. */
  readonly predictMs: ((size: number) => number) | null;
  /** How far off that prediction and a timer may be. */
  readonly marginMs: number;
  /** Whether the requests of one frame keep the engine busy for nearly all of it. */
  readonly isEngineBusy: () => boolean;
  /** When frames paint; `null` where nothing does. */
  readonly grid: FrameGrid | null;
  /** Share of a free wait to take, 0 to 1. */
  readonly patience: () => number;
  /** The latest start that meets the most urgent deadline; `Infinity` without one. */
  readonly mustStartByMs: number;
  /** The frame that the wait in progress aims at; `null` without one. */
  readonly aimMs: number | null;
  /** When the window of the oldest request closes. */
  readonly windowClosesAtMs: number;
}

/** For how long a batch may wait for others at no visible cost, and the frame that then paints it. */
export interface FreeWait {
  readonly untilMs: number;
  readonly frameMs: number;
}

/** Send a batch now. */
export interface Dispatch {
  readonly action: "dispatch";
  readonly reason: ReleaseReason;
  /** Whether all who wait leave together; else the planner decides how many. */
  readonly isWhole: boolean;
  /** The free wait that was forgone because it does not pay; `null` where there was none. */
  readonly free: FreeWait | null;
}

/** Look again at `untilMs`, or when something happens: a request comes or goes, a batch ends. */
export interface Wait {
  readonly action: "wait";
  readonly untilMs: number;
  /** The free wait that this is; `null` where the wait is for the engine. */
  readonly free: FreeWait | null;
}

export type Decision = Dispatch | Wait;

export function waitUntil(untilMs: number, free: FreeWait | null = null): Wait {
  return { action: "wait", untilMs, free };
}

export function send(reason: ReleaseReason, isWhole = false, free: FreeWait | null = null): Dispatch {
  return { action: "dispatch", reason, isWhole, free };
}

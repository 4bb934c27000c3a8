import type { FrameGrid } from "./clock.js";

/** All that a release rule looks at. Times are on the batcher's clock, in milliseconds. */
export interface Situation {
  readonly nowMs: number;
  /** Requests that ride together, the leader among them; at least 1. */
  readonly queued: number;
  /** When the request that has waited longest came. */
  readonly oldestAtMs: number;
  /** Whether there are requests that may not, or would rather not, ride with these. */
  readonly othersWait: boolean;
  /** Requests a millisecond that come of late. */
  readonly ratePerMs: number;
  /** Device time that may be spent on leaving sooner than the next paint asks for, in milliseconds. */
  readonly allowanceMs: number;
  /** Most requests in a batch. */
  readonly maxBatchSize: number;
  /** Batches that may still be handed to the engine; 0 while it has enough. */
  readonly freeSlots: number;
  /** Batches that the engines have, and the rows in them. */
  readonly running: { readonly batches: number; readonly rows: number };
  /** Batches that run side by side. */
  readonly engines: number;
  /** When the engine would start the next batch: now, or the predicted end of what it runs. */
  readonly freeAtMs: number;
  /** How long before `freeAtMs` a batch must leave so that the engine need not wait for it. */
  readonly handoverMs: number;
  /** The size to take of so many waiting requests. */
  readonly bestSize: (queued: number) => number;
  /** A size at which waiting for more gains next to nothing. */
  readonly sufficientSize: () => number;
  /** Predicted time of a run of so many requests, and how far off it may be; `null` while nothing is known. */
  readonly predictMs: ((size: number) => number) | null;
  readonly marginMs: number;
  /** The part of a predicted time that is not inference, and is hidden where another batch runs meanwhile. */
  readonly overheadMs: number;
  /** The part of a run's time that does not depend on its size. */
  readonly fixedMs: number;
  /** Where frames paint; `null` where nothing does. */
  readonly grid: FrameGrid | null;
  /** Whether timers come far too late to be of use. */
  readonly isHidden: boolean;
  /** Whether those who come are callers who have just been answered. */
  readonly isClosedLoop: boolean;
  /** Whether all who were answered last have asked again, and nobody else since. */
  readonly haveReturned: boolean;
  /** How long a caller takes to hear its result and to ask again. */
  readonly msPerReturn: number;
  /** In a closed loop: whether a run of all is to be tried, whatever is predicted of it. `bestSize` says so too. */
  readonly isWholeDue: boolean;
  /** Share of a free wait that past waits have earned, 0 to 1. */
  readonly patience: number;
  /** The latest start that still meets the most urgent deadline; `Infinity` without one. */
  readonly mustStartByMs: number;
  /** The frame that a wait for company aims at; `null` where there has been no such wait. */
  readonly aimMs: number | null;
  /** `window`: longest wait of the oldest request. */
  readonly maxQueueDelayMs: number;
}

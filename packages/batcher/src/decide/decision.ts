/**
 * Why a batch was dispatched:
 * - `full`: as many requests were queued as a batch should hold.
 * - `idle`: the engine was free, and there was no reason to wait.
 * - `frame`: waiting longer would have missed the next paint.
 * - `window`: the oldest request had waited for `maxQueueDelayMs`.
 * - `flush`: the caller called `flush`.
 * - `unbatched`: batching is off.
 * - `retry`: a part of a failed batch ran again, to find the request that fails.
 */
export type ReleaseReason = "full" | "idle" | "frame" | "window" | "flush" | "unbatched" | "retry";

/** Timers fire up to this much late, in milliseconds. */
export const TIMER_LATENESS_MS = 4;

/** A shorter wait is not worth a timer, in milliseconds. */
export const MIN_WAIT_MS = 0.05;

/** A wait for more requests that costs no visible latency: its end, and the frame that then paints the batch. */
export interface FreeWait {
  readonly untilMs: number;
  readonly frameMs: number;
}

/** Look again at `untilMs`, or on the next event: a request arrives or is withdrawn, or a batch ends. */
export interface Wait {
  readonly action: "wait";
  readonly untilMs: number;
  /** The free wait that this is; `null` if the wait is for the engine. */
  readonly free: FreeWait | null;
}

/** What a release rule says of a batch that need not wait any longer. */
export interface Release {
  readonly action: "release";
  readonly reason: ReleaseReason;
  /** Whether to dispatch all requests together; otherwise the objective chooses how many. */
  readonly isWhole: boolean;
  /** The free wait that is not taken, because it does not pay off; `null` if there is none. */
  readonly free: FreeWait | null;
}

/** Dispatch a batch of `size` rows now. */
export interface Dispatch {
  readonly action: "dispatch";
  readonly size: number;
  readonly reason: ReleaseReason;
  /** See `Release`. */
  readonly free: FreeWait | null;
}

/** Reject the leader, which misses its latency objective: its answer is predicted at `endMs`. */
export interface Shed {
  readonly action: "shed";
  readonly endMs: number;
  /** See `Release`. */
  readonly free: FreeWait | null;
}

export type Decision = Dispatch | Shed | Wait;

export function waitUntil(untilMs: number, free: FreeWait | null = null): Wait {
  return { action: "wait", untilMs, free };
}

export function release(reason: ReleaseReason, isWhole = false, free: FreeWait | null = null): Release {
  return { action: "release", reason, isWhole, free };
}

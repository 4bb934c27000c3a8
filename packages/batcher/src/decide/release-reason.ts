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

/** All release reasons, in the order used in reports. */
export const RELEASE_REASONS: readonly ReleaseReason[] = [
  "full",
  "idle",
  "frame",
  "window",
  "flush",
  "unbatched",
  "retry",
];

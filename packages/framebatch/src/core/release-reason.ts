/**
 * Why a batch left:
 * - `full`: as many requests waited as a batch should hold.
 * - `idle`: the engine was free, and nothing spoke for waiting.
 * - `frame`: waiting longer would have missed the next paint.
 * - `window`: the oldest request had waited for `maxQueueDelayMs`.
 * - `flush`: the caller asked.
 * - `unbatched`: batching is off.
 * - `retry`: part of a batch that failed, run again to find the request that fails.
 */
export type ReleaseReason = "full" | "idle" | "frame" | "window" | "flush" | "unbatched" | "retry";

/** Every release reason, in the order in which reports show them. */
export const RELEASE_REASONS: readonly ReleaseReason[] = [
  "full",
  "idle",
  "frame",
  "window",
  "flush",
  "unbatched",
  "retry",
];

import type { CompletedBatch } from "../../src/core/queue/request.js";

/** How batches run on the workers of a model. Times are in milliseconds. */
export interface Traffic {
  /** Run time of a batch while this number of workers computes. */
  readonly runMs: (workers: number, nowMs: number) => number;
  /** @default 8 */
  readonly rows?: number;
  /** The share of a run that is computation. @default 1 */
  readonly inferenceShare?: number;
  /** Time from an answer to the next batch. If 0, a batch waits behind each one that runs. @default 0 */
  readonly pauseMs?: number;
}

/**
 * Yields batches in the order of their answers, from `fromMs` to `untilMs`. `workers` returns how many workers take the
 * next batches. With two, answers come twice as often as a run takes.
 */
export function* batchesOf(
  { runMs, rows = 8, inferenceShare = 1, pauseMs = 0 }: Traffic,
  workers: () => number,
  fromMs: number,
  untilMs: number,
): Generator<CompletedBatch> {
  let lastEndMs = fromMs;
  for (let id = 1; lastEndMs < untilMs; id++) {
    const count = workers();
    const tookMs = runMs(count, lastEndMs);
    const completedAtMs = lastEndMs + pauseMs + tookMs / count;
    const waitedMs = pauseMs > 0 ? 0 : tookMs / 2;
    lastEndMs = completedAtMs;
    yield {
      id,
      origin: "device",
      size: rows,
      paddedSize: rows,
      reason: "idle",
      dispatchedAtMs: completedAtMs - tookMs - waitedMs,
      completedAtMs,
      inferenceMs: inferenceShare * tookMs,
    };
  }
}

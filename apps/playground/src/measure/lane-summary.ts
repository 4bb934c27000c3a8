import type { ModelStats } from "framebatch";
import { mean, summariseWaits, type WaitStatistics } from "./latency-statistics.js";
import type { Slice } from "./slice.js";

/** All slices of a lane together. */
export interface LaneSummary {
  /** Answers per painted frame. */
  readonly perFrame: number;
  readonly waits: WaitStatistics;
  readonly meanFramesToPaint: number;
  /** Share of requests without an answer when their slice was cut off, 0 to 1. */
  readonly cutOffShare: number;
  /** Share of due frames that were dropped, 0 to 1. */
  readonly droppedFrames: number;
  readonly meanBatchSize: number;
  /** `stats()` of the same slices, including warm-ups. */
  readonly stats: ModelStats;
}

export function summariseLane(slices: readonly Slice[], stats: ModelStats): LaneSummary {
  const sum = (value: (slice: Slice) => number): number => slices.reduce((total, slice) => total + value(slice), 0);
  const waits = summariseWaits(slices.flatMap((slice) => slice.waits));
  const painted = sum(({ frames }) => frames.length);
  const dropped = sum(({ frames }) => frames.reduce((total, frame) => total + frame.dropped, 0));
  const batches = sum((slice) => slice.batches.count);
  return {
    perFrame: sum((slice) => slice.answersMs.length) / Math.max(1, painted),
    waits,
    cutOffShare: 1 - waits.ended.length / Math.max(1, waits.count),
    meanFramesToPaint: mean(slices.flatMap((slice) => slice.framesToPaint)),
    droppedFrames: painted + dropped === 0 ? 0 : dropped / (painted + dropped),
    meanBatchSize: sum((slice) => slice.batches.requests) / Math.max(1, batches),
    stats,
  };
}

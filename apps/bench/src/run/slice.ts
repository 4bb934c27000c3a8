import type { LaneCounts } from "../lanes/lane.js";
import type { LoadOutcome } from "../loads/load.js";
import { FrameLine } from "../statistics/frames.js";
import { mean, median, quantileOfSorted } from "../statistics/quantile.js";

/** The figures of one slice. `NaN` if the lane or the browser cannot measure it. Units as in `Row`. */
export interface Slice {
  readonly throughputPerSec: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly meanMs: number;
  /** Medians over the isolated bursts. */
  readonly firstAnswerMs: number;
  readonly lastAnswerMs: number;
  readonly latencyIsLowerBound: boolean;
  readonly framesToPaint: number;
  readonly droppedFramesPerSec: number;
  readonly longTasksPerSec: number;
  readonly mainThreadUsPerPrediction: number;
  readonly busyShare: number;
  readonly meanBatchSize: number;
  readonly paddingWaste: number;
  readonly samples: number;
}

/** The raw measurements of a slice. */
export interface RawSlice {
  readonly outcome: LoadOutcome;
  readonly samples: CallSamples;
  readonly frameTimesMs: readonly number[];
  readonly framePeriodMs: number;
  /** The time before the first call, in ms. */
  readonly startMs: number;
  /** From the first call to the last answer, including late ones, in ms. */
  readonly wholeMs: number;
  readonly longTasks: number;
  readonly mainThreadMs: number;
  readonly counts: LaneCounts | null;
}

export interface CallSamples {
  forEach(skipFirst: boolean, visit: (calledMs: number, answeredMs: number) => void): void;
}

/**
 * Summarises a slice. Throughput counts from the start, when no call is in flight, to the last answer in the slice, so
 * that answers in groups do not distort it. Latencies exclude each caller's first call, made while the queue was still
 * filling, if every caller has made a second one. Otherwise they are lower bounds and include the open calls.
 */
export function summariseSlice(raw: RawSlice): Slice {
  const { outcome, counts } = raw;
  const latencyIsLowerBound = outcome.isLowerBound;
  const latenciesMs = sortedLatencies(raw, latencyIsLowerBound);
  const frames = new FrameLine(raw.frameTimesMs, raw.framePeriodMs);
  const seconds = raw.wholeMs / 1000;
  return {
    throughputPerSec: (outcome.answered * 1000) / outcome.elapsedMs,
    p50Ms: quantileOfSorted(latenciesMs, 0.5),
    p95Ms: quantileOfSorted(latenciesMs, 0.95),
    p99Ms: quantileOfSorted(latenciesMs, 0.99),
    maxMs: latenciesMs.at(-1) ?? Number.NaN,
    meanMs: mean(latenciesMs),
    firstAnswerMs: median((outcome.bursts ?? []).map(({ firstMs }) => firstMs)),
    lastAnswerMs: median((outcome.bursts ?? []).map(({ lastMs }) => lastMs)),
    latencyIsLowerBound,
    framesToPaint: meanFramesToPaint(raw, frames, latencyIsLowerBound),
    droppedFramesPerSec: frames.dropped(raw.startMs) / seconds,
    longTasksPerSec: raw.longTasks / seconds,
    mainThreadUsPerPrediction: (raw.mainThreadMs * 1000) / (outcome.answered + outcome.answeredLate),
    busyShare: counts?.busyShare ?? Number.NaN,
    meanBatchSize: counts?.meanBatchSize ?? Number.NaN,
    paddingWaste: counts?.paddingWaste ?? Number.NaN,
    samples: outcome.answered,
  };
}

function sortedLatencies(raw: RawSlice, isLowerBound: boolean): Float64Array {
  const latenciesMs: number[] = isLowerBound ? [...raw.outcome.openAgesMs] : [];
  raw.samples.forEach(!isLowerBound, (calledMs, answeredMs) => latenciesMs.push(answeredMs - calledMs));
  return Float64Array.from(latenciesMs).sort();
}

function meanFramesToPaint(raw: RawSlice, frames: FrameLine, isLowerBound: boolean): number {
  const counts: number[] = [];
  raw.samples.forEach(!isLowerBound, (calledMs, answeredMs) => counts.push(frames.framesToPaint(calledMs, answeredMs)));
  return mean(counts.filter((count) => !Number.isNaN(count)));
}

/** Creates the slice of a lane without callers: it has a throughput and a batch size, but no latencies. */
export function drivenSlice(driven: { predictions: number; elapsedMs: number; batchSize: number }): Slice {
  const unknown = Number.NaN;
  return {
    throughputPerSec: (driven.predictions * 1000) / driven.elapsedMs,
    p50Ms: unknown,
    p95Ms: unknown,
    p99Ms: unknown,
    maxMs: unknown,
    meanMs: unknown,
    firstAnswerMs: unknown,
    lastAnswerMs: unknown,
    latencyIsLowerBound: false,
    framesToPaint: unknown,
    droppedFramesPerSec: 0,
    longTasksPerSec: 0,
    mainThreadUsPerPrediction: unknown,
    busyShare: 1,
    meanBatchSize: driven.batchSize,
    paddingWaste: 0,
    samples: driven.predictions,
  };
}

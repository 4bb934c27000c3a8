import type { CostPoint, ModelStats } from "framebatch";
import type { Comparison } from "../../src/measure/compare.js";
import { gainsOf, type LaneName, type SliceFigures } from "../../src/measure/gain.js";
import type { LaneSummary } from "../../src/measure/lane-summary.js";
import { summariseWaits } from "../../src/measure/latency-statistics.js";
import type { Recording } from "../../src/measure/recording.js";

const NOTHING = { count: 0, sum: 0, mean: 0, min: 0, max: 0, p50: 0, p95: 0, p99: 0, buckets: [] };

/** Statistics of a model with a cost curve and otherwise zeros. */
export function statsWith(curve: readonly CostPoint[]): ModelStats {
  return {
    requests: {
      offered: 0,
      accepted: 0,
      refused: { queueFull: 0, latency: 0 },
      completed: 0,
      failed: 0,
      aborted: 0,
      timedOut: 0,
      superseded: 0,
      shed: 0,
      disposed: 0,
      queued: 0,
      inFlight: 0,
      deduplicated: 0,
      cacheHits: 0,
    },
    batches: {
      count: 0,
      failed: 0,
      inFlight: 0,
      byReason: { full: 0, idle: 0, frame: 0, window: 0, flush: 0, unbatched: 0, retry: 0 },
    },
    batchSize: NOTHING,
    queueMs: NOTHING,
    runMs: NOTHING,
    totalMs: NOTHING,
    paddingWaste: 0,
    busyShare: 0,
    cost: { targetSize: 1, curve },
    executionProvider: "wasm",
    providerTrials: [],
    adapter: null,
    state: "ready",
    modelBytes: 1000,
    fromCache: false,
    memoryBytes: 50e6,
    instances: 1,
    shared: { isShared: false, reason: null, tabs: 1 },
    providerCheck: { provider: "wasm", outcome: "skipped", reason: "", comparedSizes: [], fromCache: false },
    batchCheck: { outcome: "passed", reason: "", fromCache: false },
    isRebatched: false,
  };
}

/** The figures of a lane, one per slice. */
export interface Lane {
  readonly rates: readonly number[];
  readonly mediansMs?: readonly number[];
  readonly p99sMs?: readonly number[];
  readonly firstsMs?: readonly number[];
  /** True if requests of the lane were cut off. */
  readonly isCutOff?: boolean;
}

/** What else an outcome depends on. */
export type Circumstances = Partial<
  Pick<Comparison, "callers" | "pace" | "maxBatch" | "cost" | "batchSize" | "noise" | "keepsUp">
>;

/** A comparison of 64 callers with these lanes. Latencies that are left out are equal in both lanes. */
export function comparisonOf(batched: Lane, single: Lane, circumstances: Circumstances = {}): Comparison {
  const slices = [...figuresOf("batched", batched), ...figuresOf("single", single)];
  return {
    callers: 64,
    pace: "continuous",
    maxBatch: 256,
    cost: null,
    batchSize: 8,
    noise: 0.04,
    keepsUp: false,
    ...circumstances,
    framePeriodMs: 16,
    gains: gainsOf(slices),
    batched: SUMMARY,
    single: SUMMARY,
    slices,
    race: { batched: RECORDING, single: RECORDING },
  };
}

const RECORDING: Recording = { durationMs: 600, answersMs: [600], frames: [] };

const EQUAL_MS = [20, 20, 20];

function figuresOf(lane: LaneName, figures: Lane): SliceFigures[] {
  const { rates, mediansMs = EQUAL_MS, p99sMs = EQUAL_MS, firstsMs = EQUAL_MS, isCutOff = false } = figures;
  const quantile = (ms: number | undefined) => ({ ms: ms ?? 0, isAtLeast: isCutOff });
  return rates.map((throughput, slice) => ({
    lane,
    throughput,
    median: quantile(mediansMs[slice]),
    p99: quantile(p99sMs[slice]),
    first: quantile(firstsMs[slice]),
  }));
}

const SUMMARY: LaneSummary = {
  perFrame: 1,
  waits: summariseWaits([{ ms: 9, isCutOff: false }]),
  meanFramesToPaint: 1,
  cutOffShare: 0,
  droppedFrames: 0,
  meanBatchSize: 8,
  stats: statsWith([]),
};

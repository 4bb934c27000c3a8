import type { CostPoint, ModelStats } from "framebatch";
import type { Comparison, LaneSummary } from "../../src/measure/compare.js";
import { summariseWaits } from "../../src/measure/latency-statistics.js";
import { rateRatio } from "../../src/measure/rate-ratio.js";

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
    batchCheck: { outcome: "passed", reason: "", fromCache: false },
    isRebatched: false,
  };
}

/** The results of a lane, reduced to the fields that the tests need. */
interface Lane {
  readonly rates: readonly number[];
  readonly waitMs: number;
  readonly droppedFrames?: number;
  readonly perFrame?: number;
  readonly curve?: readonly CostPoint[];
}

/** A comparison of 64 callers with these lanes. */
export function comparisonOf(batched: Lane, single: Lane, pace: Comparison["load"]["pace"] = "continuous"): Comparison {
  return {
    load: { callers: 64, pace, item: () => [] },
    framePeriodMs: 16,
    ratio: rateRatio(batched.rates, single.rates),
    batched: summaryOf(batched),
    single: summaryOf(single),
    slices: batched.rates.flatMap((perSecond, pair) => [
      { lane: "batched" as const, perSecond },
      { lane: "single" as const, perSecond: single.rates[pair] ?? 0 },
    ]),
  };
}

function summaryOf({ rates, waitMs, droppedFrames = 0, perFrame = 0, curve = [] }: Lane): LaneSummary {
  return {
    perSecond: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
    perFrame,
    waits: summariseWaits([{ ms: waitMs, isCutOff: false }]),
    meanFramesToPaint: 1,
    cutOffShare: 0,
    droppedFrames,
    meanBatchSize: 8,
    stats: statsWith(curve),
  };
}

import { describe, expect, it } from "vitest";
import { LogHistogram } from "./statistics.js";
import { toPrometheusText } from "./prometheus-text.js";
import type { BatcherStats, Distribution } from "./stats.js";

function distributionOf(...values: number[]): Distribution {
  const histogram = new LogHistogram();
  for (const value of values) histogram.record(value);
  return histogram.snapshot();
}

const stats: BatcherStats = {
  requests: {
    offered: 30,
    accepted: 27,
    refused: { queueFull: 2, latency: 1 },
    completed: 14,
    failed: 1,
    aborted: 2,
    timedOut: 3,
    superseded: 1,
    shed: 1,
    disposed: 0,
    queued: 4,
    inFlight: 1,
    deduplicated: 5,
    cacheHits: 6,
  },
  batches: {
    count: 4,
    failed: 1,
    inFlight: 1,
    byReason: { full: 0, idle: 1, frame: 2, window: 0, flush: 0, unbatched: 0, retry: 1 },
  },
  batchSize: distributionOf(1, 8, 8),
  queueMs: distributionOf(0, 2.5),
  runMs: distributionOf(16),
  totalMs: distributionOf(),
  paddingWaste: 0.125,
  busyShare: 0.5,
  cost: { targetSize: 16, curve: [] },
};

const EXPECTED = `\
# HELP framebatch_requests_total Requests that ended, by outcome.
# TYPE framebatch_requests_total counter
framebatch_requests_total{outcome="completed"} 14
framebatch_requests_total{outcome="failed"} 1
framebatch_requests_total{outcome="aborted"} 2
framebatch_requests_total{outcome="timed_out"} 3
framebatch_requests_total{outcome="superseded"} 1
framebatch_requests_total{outcome="shed"} 1
framebatch_requests_total{outcome="disposed"} 0
framebatch_requests_total{outcome="refused_queue_full"} 2
framebatch_requests_total{outcome="refused_latency"} 1
# HELP framebatch_requests_deduplicated_total Requests that shared the row of an identical one.
# TYPE framebatch_requests_deduplicated_total counter
framebatch_requests_deduplicated_total 5
# HELP framebatch_cache_hits_total Requests answered from the result cache.
# TYPE framebatch_cache_hits_total counter
framebatch_cache_hits_total 6
# HELP framebatch_batches_total Dispatched batches, by release reason.
# TYPE framebatch_batches_total counter
framebatch_batches_total{reason="full"} 0
framebatch_batches_total{reason="idle"} 1
framebatch_batches_total{reason="frame"} 2
framebatch_batches_total{reason="window"} 0
framebatch_batches_total{reason="flush"} 0
framebatch_batches_total{reason="unbatched"} 0
framebatch_batches_total{reason="retry"} 1
# HELP framebatch_batches_failed_total Batches that failed.
# TYPE framebatch_batches_failed_total counter
framebatch_batches_failed_total 1
# HELP framebatch_batch_size Requests per batch.
# TYPE framebatch_batch_size histogram
framebatch_batch_size_bucket{le="+Inf"} 3
framebatch_batch_size_sum 17
framebatch_batch_size_count 3
# HELP framebatch_queue_seconds Time from the call to the dispatch.
# TYPE framebatch_queue_seconds histogram
framebatch_queue_seconds_bucket{le="+Inf"} 2
framebatch_queue_seconds_sum 0.0025
framebatch_queue_seconds_count 2
# HELP framebatch_run_seconds Time of a batch on the engine.
# TYPE framebatch_run_seconds histogram
framebatch_run_seconds_bucket{le="+Inf"} 1
framebatch_run_seconds_sum 0.016
framebatch_run_seconds_count 1
# HELP framebatch_total_seconds Time from the call to the result.
# TYPE framebatch_total_seconds histogram
framebatch_total_seconds_bucket{le="+Inf"} 0
framebatch_total_seconds_sum 0
framebatch_total_seconds_count 0
# HELP framebatch_queue_length Queued requests.
# TYPE framebatch_queue_length gauge
framebatch_queue_length 4
# HELP framebatch_requests_in_flight Requests in flight.
# TYPE framebatch_requests_in_flight gauge
framebatch_requests_in_flight 1
# HELP framebatch_batches_in_flight Batches in flight.
# TYPE framebatch_batches_in_flight gauge
framebatch_batches_in_flight 1
# HELP framebatch_busy_ratio Share of the time in which the engine had work.
# TYPE framebatch_busy_ratio gauge
framebatch_busy_ratio 0.5
# HELP framebatch_padding_waste_ratio Share of the computed volume that was padding.
# TYPE framebatch_padding_waste_ratio gauge
framebatch_padding_waste_ratio 0.125
# HELP framebatch_target_batch_size Batch size with the best rate.
# TYPE framebatch_target_batch_size gauge
framebatch_target_batch_size 16
`;

/** Bounds and counts of one histogram. The last bound is Infinity. */
function bucketsOf(text: string, name: string): (readonly [le: number, count: number])[] {
  const lines = text.matchAll(new RegExp(`_${name}_bucket\\{le="(.*)"\\} (\\d+)`, "g"));
  return [...lines].map(([, le, count]) => [le === "+Inf" ? Infinity : Number(le), Number(count)]);
}

describe("statistics as Prometheus text", () => {
  it("contain every figure, with times in seconds", () => {
    const withoutBuckets = toPrometheusText(stats).replaceAll(/^.*_bucket\{le="[^+].*\n/gm, "");
    expect(withoutBuckets).toBe(EXPECTED);
  });

  it("count in each bucket of a histogram the values up to its bound", () => {
    const buckets = bucketsOf(toPrometheusText(stats), "batch_size");
    expect(buckets.slice(0, 5)).toEqual([
      [1.038, 1],
      [2.075, 1],
      [4.149, 1],
      [8.293, 3],
      [16.58, 3],
    ]);
    expect(bucketsOf(toPrometheusText(stats), "queue_seconds").find(([, count]) => count === 2)?.[0]).toBeLessThan(
      0.0055,
    );
  });

  it("defect 22: have histograms that can be summed over models, whatever their values", () => {
    const text = (...values: number[]) => toPrometheusText({ ...stats, runMs: distributionOf(...values) });
    const [fast, slow] = [bucketsOf(text(1, 1, 1, 2), "run_seconds"), bucketsOf(text(300, 400), "run_seconds")];
    const sums = new Map<number, number>();
    for (const [le, count] of [...fast, ...slow]) sums.set(le, (sums.get(le) ?? 0) + count);
    const counts = [...sums].toSorted(([a], [b]) => a - b).map(([, count]) => count);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(6);
  });

  it("accept a prefix, and escape the values of labels", () => {
    const text = toPrometheusText(stats, { prefix: "app:ml", labels: { model: 'a "b"\n\\c' } });
    expect(text).toContain('app:ml_requests_total{model="a \\"b\\"\\n\\\\c",outcome="completed"} 14\n');
    expect(text).toContain('app:ml_queue_length{model="a \\"b\\"\\n\\\\c"} 4\n');
    expect(text).not.toContain("framebatch");
  });

  it.each([
    [{ prefix: "1st" }, 'prefix: expected letters, digits, _ and :, no digit in front, got "1st"'],
    [
      { labels: { "my-model": "x" } },
      'labels: expected letters, digits and _, no digit or __ in front, got "my-model"',
    ],
    [{ labels: { __name: "x" } }, 'got "__name"'],
    [{ labels: { le: "x" } }, 'labels: expected a name other than outcome, reason, le, got "le"'],
  ])("reject the options %j", (options, message) => {
    expect(() => toPrometheusText(stats, options)).toThrow(message);
  });
});

import { describe, expect, it } from "vitest";
import { BatchLimits } from "./batch-limits.js";
import { CostModel } from "../cost/cost-model.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

/** The limits of a model whose run of n rows takes 8 + n ms. */
function limits(maxLatencyMs: number, isKnown = true): BatchLimits {
  const cost = new CostModel(16);
  if (isKnown) cost.restore(costs((size) => 8 + size));
  return new BatchLimits({ maxBatchSize: 16, maxLatencyMs }, cost);
}

describe("the limit of the batch size", () => {
  it("only decreases, and never below 1", () => {
    const limit = new BatchLimits({ maxBatchSize: 8 }, new CostModel(8));
    limit.lower(12);
    expect(limit.rows).toBe(8);
    limit.lower(3);
    limit.lower(5);
    expect(limit.rows).toBe(3);
    limit.lower(0);
    expect(limit.rows).toBe(1);
  });

  it("is 1 until batches are trusted", () => {
    const limit = new BatchLimits({ maxBatchSize: 8, isTrusted: false }, new CostModel(8));
    expect([limit.rows, limit.fitting(1), limit.timely(1)]).toEqual([1, 1, 1]);
    limit.trust(true);
    expect(limit.rows).toBe(8);
  });

  it("allows half of the latency objective, and half the batch size while no cost is known", () => {
    expect([Infinity, 40, 4].map((maxLatencyMs) => limits(maxLatencyMs).timely(1))).toEqual([16, 12, 1]);
    expect(limits(40, false).timely(1)).toBe(8);
  });

  it("applies to queued requests, but not to dispatched batches", () => {
    const { batcher, task, clock, engine, log, outcomes } = batching();
    task("abcdefghij");
    expect(log).toEqual(["0: a b c d (full)", "0: e f g h (full)"]);
    batcher.limitBatchSize(1);
    clock.advanceTo(9);
    while (engine.open > 0) engine.answer();
    expect(log.slice(2)).toEqual(["9: i (full)", "9: j (full)"]);
    expect(Object.keys(outcomes)).toHaveLength(10);
  });

  it("applies to later requests", () => {
    const { batcher, task, log } = batching();
    batcher.limitBatchSize(2);
    task("abcd");
    expect(log).toEqual(["0: a b (full)", "0: c d (full)"]);
  });
});

describe("a run without a request", () => {
  it("is recorded by the cost model", () => {
    const { batcher } = batching({ maxBatchSize: 8 });
    batcher.learn(1, 1, 9);
    batcher.learn(8, 1, 16);
    const curve = batcher.stats().cost.curve.filter(({ weight }) => weight > 0);
    expect(curve.map(({ size, ms }) => [size, Math.round(ms)])).toEqual([
      [1, 9],
      [8, 16],
    ]);
  });
});

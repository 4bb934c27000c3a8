import { describe, expect, it } from "vitest";
import type { CompletedBatch } from "../queue/request.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

describe("a request that another batcher had before", () => {
  it("counts its timeout and its times from when its caller made it", () => {
    const { batcher, clock, engine, outcomes, task } = batching();
    const answers: unknown[] = [];
    const sink = {
      resolve: (result: string, batch: CompletedBatch | null, enqueuedAtMs: number) =>
        void answers.push([result, batch?.origin, enqueuedAtMs]),
      reject: (error: unknown) => void answers.push(error),
    };
    clock.advanceTo(100);
    batcher.enqueue("a", sink, { sinceMs: 40, timeoutMs: 100 });
    clock.endTask();
    clock.advanceTo(130);
    engine.answer();
    expect(answers).toEqual([["A", "device", 40]]);
    expect(batcher.stats()).toMatchObject({ totalMs: { max: 90 }, queueMs: { max: 60 } });
    task("b", { sinceMs: 110, timeoutMs: 50 });
    clock.advanceTo(160);
    expect(outcomes).toEqual({ b: "TIMED_OUT" });
  });

  it("is rejected if the time that it has left does not suffice for maxLatencyMs", () => {
    const { ask, clock, outcomes } = batching({ maxLatencyMs: 100, costData: costs(() => 60) });
    clock.advanceTo(100);
    ask("a", { sinceMs: 50 });
    ask("b", { sinceMs: 70 });
    clock.endTask();
    expect(outcomes).toEqual({ a: "OVERLOADED" });
  });
});

describe("supersede", () => {
  it("rejects the queued request with the key, and no other", () => {
    const { batcher, engine, outcomes, task } = batching({ maxBatchSize: 1, release: "off" });
    task("a", { key: "field" });
    batcher.supersede("field");
    batcher.supersede("none");
    expect(outcomes).toEqual({});
    engine.answer();
    expect(outcomes).toEqual({ a: "A" });
    batcher.pause();
    task("b", { key: "field" });
    task("c", { key: "other" });
    batcher.supersede("field");
    expect(outcomes).toEqual({ a: "A", b: "SUPERSEDED" });
    expect(batcher.stats().requests).toMatchObject({ superseded: 1, queued: 1 });
  });
});

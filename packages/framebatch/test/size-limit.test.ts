import { describe, expect, it } from "vitest";
import { SizeLimit } from "../src/core/size-limit.js";
import { batching } from "./support/batching.js";

describe("the limit of a batch's size", () => {
  it("is only ever lowered, and never below one", () => {
    const limit = new SizeLimit(8);
    limit.lower(12);
    expect(limit.rows).toBe(8);
    limit.lower(3);
    limit.lower(5);
    expect(limit.rows).toBe(3);
    limit.lower(0);
    expect(limit.rows).toBe(1);
  });

  it("holds for those who wait already, and not for what has left", () => {
    const { batcher, task, clock, engine, log, outcomes } = batching();
    task("abcdefghij");
    expect(log).toEqual(["0: a b c d (full)", "0: e f g h (full)"]);
    batcher.limitBatchSize(1);
    clock.advanceTo(9);
    while (engine.open > 0) engine.answer();
    expect(log.slice(2)).toEqual(["9: i (full)", "9: j (full)"]);
    expect(Object.keys(outcomes)).toHaveLength(10);
  });

  it("holds for those who come later", () => {
    const { batcher, task, log } = batching();
    batcher.limitBatchSize(2);
    task("abcd");
    expect(log).toEqual(["0: a b (full)", "0: c d (full)"]);
  });
});

describe("a run that no request asked for", () => {
  it("is known to the cost model", () => {
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

import { describe, expect, it } from "vitest";
import type { ItemShape } from "../queue/shape.js";
import { FramebatchError } from "../errors/errors.js";
import { batching } from "../../test/support/batching.js";

/** Items of three elements in a bucket of eight. */
const shapeOf = (): ItemShape => ({ group: "", extents: [8], ownExtents: [3] });

const unsafe = () => ({ error: new FramebatchError("BATCH_UNSAFE", "another worker"), divisible: true });

describe("a batcher with untrusted batches", () => {
  it("runs each item alone at its own size, two at a time", () => {
    const { task, engine, log } = batching({ isTrusted: false, allowedBatchSizes: [2, 4], shapeOf });
    task("abc");
    expect(log).toEqual(["0: a (full)", "0: b (full)"]);
    engine.answer();
    expect(log.slice(2)).toEqual(["0: c (full)"]);
    for (const batch of engine.batches) expect(batch).toMatchObject({ isAlone: true, paddedSize: 1, extents: [3] });
  });

  it("pads to the batch size of a model with a fixed batch", () => {
    const { task, engine } = batching({ isTrusted: false, allowedBatchSizes: [4], fixedBatchSize: 4 });
    task("a");
    expect(engine.batches).toMatchObject([{ isAlone: true, paddedSize: 4 }]);
  });

  it("forms batches as soon as it is trusted, including queued requests", () => {
    const { batcher, task, engine } = batching({ isTrusted: false, allowedBatchSizes: [4], shapeOf });
    task("abcdef");
    batcher.trust(true);
    engine.answer();
    expect(engine.batches.at(-1)).toMatchObject({ isAlone: false, paddedSize: 4, extents: [8] });
  });

  it("runs a batch item by item if it was formed before and is rejected as unsafe", () => {
    const { batcher, task, engine, log, outcomes } = batching({ shapeOf });
    task("abcd");
    batcher.trust(false);
    engine.answer(unsafe);
    while (engine.open > 0) engine.answer();
    expect(log.slice(1)).toEqual(["0: a (retry)", "0: b (retry)", "0: c (retry)", "0: d (retry)"]);
    expect(engine.batches.slice(1).every(({ isAlone }) => isAlone)).toBe(true);
    expect(outcomes).toEqual({ a: "A", b: "B", c: "C", d: "D" });
  });

  it("continues a running search for a culprit item by item", () => {
    const { batcher, task, engine, log, outcomes } = batching();
    task("abcd");
    engine.answer(() => ({ error: new Error("one of them"), divisible: true }));
    batcher.trust(false);
    engine.answer(unsafe);
    while (engine.open > 0) engine.answer();
    expect(log.slice(2).every((entry) => /: [a-d] \(retry\)$/.test(entry))).toBe(true);
    expect(outcomes).toEqual({ a: "A", b: "B", c: "C", d: "D" });
  });

  // defect C25
  it("also runs requests alone with release off, in the smallest of the sizes that may run", () => {
    const { task, engine } = batching({ release: "off", allowedBatchSizes: [2, 4], shapeOf });
    task("a");
    expect(engine.batches).toMatchObject([{ isAlone: true, paddedSize: 2, extents: [3] }]);
  });
});

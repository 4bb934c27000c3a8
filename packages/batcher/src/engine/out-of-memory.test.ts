import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BatchLimits } from "./batch-limits.js";
import { CostModel } from "../cost/cost-model.js";
import { FramebatchError } from "../errors/errors.js";
import { Halving } from "./failure-search.js";
import { batching } from "../../test/support/batching.js";

const noMemory = { error: new FramebatchError("OUT_OF_MEMORY", "too large"), divisible: true } as const;

/** An engine with memory for at most `most` items per batch. */
const roomFor = (most: number) => (items: readonly string[]) =>
  items.length > most ? noMemory : { results: items.map((item) => item.toUpperCase()) };

describe("a batch that exceeds memory", () => {
  it("runs in halves, in order, and no item runs again after it succeeded", () => {
    const { task, engine, log, outcomes } = batching({ maxBatchSize: 8 });
    task("abcdefgh");
    while (engine.open > 0) engine.answer(roomFor(2));
    expect(log.map((line) => line.slice(3))).toEqual([
      "a b c d e f g h (full)",
      "a b c d (retry)",
      "a b (retry)",
      "c d (retry)",
      "e f g h (retry)",
      "e f (retry)",
      "g h (retry)",
    ]);
    expect(Object.values(outcomes)).toEqual(["A", "B", "C", "D", "E", "F", "G", "H"]);
  });

  it("lowers the size of later batches to a size that worked", () => {
    const { task, clock, engine, outcomes } = batching({ maxBatchSize: 8 });
    for (const items of ["abcdefgh", "ijklmno"]) {
      task(items);
      for (; engine.open > 0; clock.endTask()) engine.answer(roomFor(2));
    }
    const later = engine.batches.map(({ items }) => items).filter(([first = ""]) => first >= "i");
    expect(later.flat().join("")).toBe("ijklmno");
    expect(Math.max(...later.map(({ length }) => length))).toBe(2);
    expect(outcomes["o"]).toBe("O");
  });

  it("rejects an item with OUT_OF_MEMORY only if it fails alone", () => {
    const { task, engine, outcomes } = batching();
    const answer = (items: readonly string[]) => (items.includes("b") ? noMemory : roomFor(4)(items));
    task("abcd");
    while (engine.open > 0) engine.answer(answer);
    expect(outcomes).toEqual({ a: "A", b: "OUT_OF_MEMORY", c: "C", d: "D" });
  });
});

describe("halving", () => {
  it("gives every item one outcome, whatever fails", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.infiniteStream(fc.boolean()), (size, failures) => {
        const halving = new Halving(Array.from({ length: size }, (_, index) => index));
        const settled: number[] = [];
        let goesOn = true;
        while (goesOn) {
          const { testing, unsettled } = halving;
          expect([...settled, ...unsettled]).toEqual(Array.from({ length: size }, (_, index) => index));
          const hasFailed = failures.next().value === true;
          if (!hasFailed || testing.length === 1) settled.push(...testing);
          goesOn = halving.ended(hasFailed ? { error: new Error("too large") } : null);
        }
        expect(settled).toHaveLength(size);
      }),
    );
  });
});

describe("the memory limit", () => {
  it("is half of the smallest volume that failed, and always allows one item", () => {
    const limits = new BatchLimits({ maxBatchSize: 64 }, new CostModel(64));
    expect(limits.fitting(10)).toBe(64);
    limits.foundNoMemory(32, 10);
    limits.foundNoMemory(64, 10);
    expect([1, 10, 20, 1000].map((volume) => limits.fitting(volume))).toEqual([64, 16, 8, 1]);
  });

  it("counts the padded rows", () => {
    const limits = new BatchLimits({ maxBatchSize: 64 }, new CostModel(64, [1, 4, 16, 64]));
    limits.foundNoMemory(64, 1);
    expect(limits.fitting(1)).toBe(16);
  });
});

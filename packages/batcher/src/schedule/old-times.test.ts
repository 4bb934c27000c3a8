import { describe, expect, it } from "vitest";
import type { CostModelData } from "../cost/cost-model.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

/** Dispatches a burst of eight. Returns the items of its first run. */
function firstRun(...known: CostModelData[]): string {
  const costData = { version: 1, shapes: known.flatMap(({ shapes }) => shapes) } as const;
  const { task, engine } = batching({ maxBatchSize: 8, costData });
  task("abcdefgh");
  return engine.batches[0]?.items.join("") ?? "";
}

const confirmed = (ms: (size: number) => number, sizes: number[]): CostModelData => costs(ms, sizes, 1, 16);
const once = (ms: (size: number) => number, sizes: number[]): CostModelData => costs(ms, sizes, 1, 1);
const forgotten = (ms: (size: number) => number, sizes: number[]): CostModelData => costs(ms, sizes, 1, 0.4);

describe("a burst for whose batch only the time of one single run speaks", () => {
  it("measures a single run first", () => {
    expect(firstRun(once(() => 50, [1]))).toBe("a");
    expect(firstRun(once((size) => (size === 1 ? 50 : 30 * size), [1, 8]))).toBe("a");
  });

  it("runs in a batch if two runs agree on that time, or half of it would speak for the batch, too", () => {
    expect(firstRun(confirmed((size) => (size === 1 ? 50 : 30 * size), [1, 8]))).toMatch(/^ab/);
    expect(firstRun(once((size) => 48 + 2 * size, [1, 8]))).toBe("abcdefgh");
  });
});

describe("a burst against whose batch only forgotten times speak", () => {
  const singles = confirmed(() => 1, [1]);
  /** Measured while the page was loading, when single runs were as slow. */
  const slowMs = (size: number): number => 20 * size;

  it("measures a run of twice the size that it would choose", () => {
    expect(firstRun(singles, forgotten(slowMs, [2, 4, 8]))).toBe("ab");
    const pairs = confirmed((size) => 5 - 2 * size, [1, 2]);
    expect(firstRun(pairs, confirmed(slowMs, [3, 5, 6, 7, 8]), forgotten(slowMs, [4]))).toBe("abcd");
  });

  it("runs one by one if a pair has been measured", () => {
    expect(firstRun(singles, confirmed(slowMs, [2]), forgotten(slowMs, [4, 8]))).toBe("a");
  });

  it("keeps its size if that of all that may run together is known, though it is less than twice", () => {
    const { task, engine } = batching({
      maxBatchSize: 3,
      costData: confirmed((size) => [10, 11, 30][size - 1]!, [1, 2, 3]),
    });
    task("abc");
    expect(engine.batches[0]?.items).toEqual(["a", "b"]);
  });
});

describe("a burst that begins before batches are trusted", () => {
  it("counts as one burst on its own when they are", () => {
    const costData = confirmed((size) => 1 + size, [1, 2, 4, 8, 16]);
    const { batcher, clock, engine, task } = batching({ maxBatchSize: 16, isTrusted: false, costData });
    task("abcdefghijklmnop");
    batcher.trust(true);
    expect(engine.batches.map(({ items }) => items.join(""))).toEqual(["a", "b"]);
    for (const atMs of [2, 4]) {
      clock.advanceTo(atMs);
      engine.answer();
      clock.endTask();
    }
    expect(engine.batches[2]?.items.join("")).toBe("cd");
  });
});

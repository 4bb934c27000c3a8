import { describe, expect, it } from "vitest";
import { bestSize, largestWithin } from "./best-size.js";
import { CostModel } from "../cost/cost-model.js";
import { costs } from "../../test/support/known-costs.js";

function knowing(ms: (size: number) => number, sizes = [1, 2, 4, 8, 16], allowed: number[] = []): CostModel {
  const cost = new CostModel(Math.max(...sizes), allowed);
  cost.restore(costs(ms, sizes));
  return cost;
}

/** The size for a burst of `queued` requests on an idle engine without other arrivals. */
const burst = (cost: CostModel, queued: number, hiddenMs = 0): number =>
  bestSize(cost, { queued, limit: queued, volume: 1, hiddenMs }, { isAlone: true, waiting: queued, ratePerMs: 0 });

/** The size for a queue while other requests keep arriving. */
const busy = (cost: CostModel, queued: number, ratePerMs = 0): number =>
  bestSize(cost, { queued, limit: queued, volume: 1, hiddenMs: 0 }, { isAlone: false, waiting: queued, ratePerMs });

/** The size for four requests of a burst of 16 that cannot run with the other twelve. */
const partOfBurst = (cost: CostModel): number =>
  bestSize(cost, { queued: 4, limit: 4, volume: 1, hiddenMs: 0 }, { isAlone: true, waiting: 16, ratePerMs: 0 });

const forRate = (cost: CostModel, queued: number, limit = queued, hiddenMs = 0): number =>
  bestSize(cost, { queued, limit, volume: 1, hiddenMs }, "endless");

const rate = (cost: CostModel, queued: number): number => forRate(cost, queued, Math.min(queued, 16));

describe("the size that answers a burst soonest", () => {
  it("is the whole burst if the fixed cost dominates", () => {
    expect(
      burst(
        knowing((size) => 8 + 0.05 * size),
        16,
      ),
    ).toBe(16);
  });

  it("is one if every item costs the same", () => {
    expect(
      burst(
        knowing((size) => 12 * size),
        16,
      ),
    ).toBe(1);
  });

  it("is one if a batch saves less than an eighth of the time to an answer", () => {
    // Eight runs of 2 take 4.5 x 14 = 63 ms to an answer on average; sixteen runs of 1 take 8.5 x 8 = 68 ms.
    expect(
      burst(
        knowing((size) => 2 + 6 * size),
        16,
      ),
    ).toBe(1);
  });

  it("is near the economic lot size otherwise", () => {
    // The square root of 16 x 0.3 / 0.1 is 6.9. In whole runs of equal size, 1.5 x 1.1 ms for 8 is less than 2 x 0.9 ms
    // for 6.
    expect(
      burst(
        knowing((size) => 0.3 + 0.1 * size),
        16,
      ),
    ).toBe(8);
  });

  it("has the least time to an answer, whatever the shape of the cost", () => {
    const table: Record<number, number> = { 1: 39, 4: 120, 16: 489, 64: 2600 };
    expect(
      burst(
        knowing((size) => table[size]!, [1, 4, 16, 64]),
        16,
      ),
    ).toBe(1);
  });

  it("does not count the part of a run that the run before it hides", () => {
    // With 1 ms of messages, runs of 4 take 2.5 x 5 = 12.5 ms to an answer, and runs of 1 take 8.5 x 2 = 17 ms. If the
    // messages overlap with the run before, runs of 4 take 1 + 2.5 x 4 = 11 ms, and runs of 1 take 1 + 8.5 = 9.5 ms.
    const cost = knowing((size) => 1 + size);
    expect(burst(cost, 16)).toBe(4);
    expect(burst(cost, 16, 1)).toBe(1);
  });

  it("is one in a burst of several groups if alone a request takes at most an eighth longer", () => {
    // Alone, a request takes 1.122 and 1.129 times as long as in a run of 4.
    const sizeAt = (fixedMs: number) => partOfBurst(knowing((size) => fixedMs + size));
    expect([0.17, 0.18].map(sizeAt)).toEqual([1, 4]);
  });

  it("is one if a batch saves more than that only within the error of the measured times", () => {
    // Alone, a request takes 1.129 times as long. Runs that are 10 % off leave an error of 2.5 % in the mean of 16.
    const sizeAt = (deviation: number) => {
      const { shapes } = costs((size) => 0.18 + size);
      const cost = new CostModel(16);
      cost.restore({ version: 1, shapes: shapes.map((each) => ({ ...each, deviationMs: deviation * each.meanMs })) });
      return partOfBurst(cost);
    };
    expect([0, 0.1].map(sizeAt)).toEqual([4, 1]);
  });

  it("is the maximum while no cost is known", () => {
    expect(busy(new CostModel(16), 9)).toBe(9);
  });
});

describe("the size for a queue with further arrivals", () => {
  it("wastes less of the device's time than the size for a burst", () => {
    const cost = knowing((size) => 2 + 6 * size);
    expect([burst(cost, 16), busy(cost, 16)]).toEqual([1, 16]);
  });

  it("is a part of the queue if the fixed cost is small", () => {
    expect(
      busy(
        knowing((size) => 0.1 + size),
        16,
      ),
    ).toBe(4);
    expect(
      busy(
        knowing((size) => 8 + 0.05 * size),
        16,
      ),
    ).toBe(16);
  });

  it("is one if every item costs the same", () => {
    expect(
      busy(
        knowing((size) => 12 * size),
        16,
      ),
    ).toBe(1);
  });

  it("wastes less time the more requests arrive", () => {
    const cost = knowing((size) => 0.1 + size);
    const sizes = [0, 0.5, 0.95, 2].map((ratePerMs) => busy(cost, 4, ratePerMs));
    expect(sizes).toEqual([2, 2, 4, 4]);
  });
});

describe("the size with the best rate", () => {
  it("is 4 in a table whose best rate is at 4", () => {
    const table: Record<number, number> = { 1: 39, 4: 120, 16: 489, 64: 2600 };
    const cost = knowing((size) => table[size]!, [1, 4, 16, 64]);
    expect(forRate(cost, 64)).toBe(4);
    expect(forRate(cost, 3)).toBe(3);
  });

  it("does not count time that another run hides", () => {
    const cost = knowing((size) => 2 + 10 * size);
    expect([forRate(cost, 64, 16), forRate(cost, 64, 16, 2)]).toEqual([16, 1]);
    const fixed = knowing((size) => 2 + size);
    expect(forRate(fixed, 16, 16, 1)).toBe(16);
  });

  it("is 1 if batching gains nothing, or loses", () => {
    expect(
      rate(
        knowing((size) => 10 * size),
        16,
      ),
    ).toBe(1);
    expect(
      rate(
        knowing((size) => 10 * size ** 1.2),
        16,
      ),
    ).toBe(1);
  });

  it("is the whole queue if the fixed cost dominates", () => {
    const cost = knowing((size) => 8 + 0.05 * size);
    expect([1, 5, 16].map((size) => rate(cost, size))).toEqual([1, 5, 16]);
  });

  it("includes all requests if a smaller batch gains only as much as the noise", () => {
    expect(
      rate(
        knowing((size) => 0.1 + size),
        16,
      ),
    ).toBe(16);
  });

  it("counts the rows that padding adds", () => {
    const cost = knowing((size) => (size === 1 ? 12 : 10 * size), [1, 8], [1, 8]);
    expect(cost.predict(2)).toBeCloseTo(80, 6);
    expect([forRate(cost, 6), forRate(cost, 8)]).toEqual([1, 8]);
  });
});

describe("largestWithin", () => {
  it("finds the maximum for every limit and bound", () => {
    for (let limit = 0; limit <= 20; limit++) {
      for (let bound = 0; bound <= 22; bound++) {
        expect(largestWithin(limit, (size) => size <= bound)).toBe(Math.min(limit, bound));
      }
    }
  });
});

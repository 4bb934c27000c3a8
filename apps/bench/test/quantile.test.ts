import { describe, expect, it } from "vitest";
import { mean, median, quantileOfSorted } from "../src/statistics/quantile.js";

describe("quantiles", () => {
  it("gives the middle value, or the mean of the two middle values", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it("sorts by value, not alphabetically", () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  it("does not change its argument", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it("interpolates linearly between neighbours", () => {
    expect(quantileOfSorted([0, 10], 0.25)).toBe(2.5);
    expect(quantileOfSorted([1, 2, 3, 4, 5], 0.95)).toBeCloseTo(4.8);
    expect(quantileOfSorted([1, 2, 3], 0)).toBe(1);
    expect(quantileOfSorted([1, 2, 3], 1)).toBe(3);
  });

  it("is NaN if there are no values", () => {
    expect(median([])).toBeNaN();
    expect(mean([])).toBeNaN();
  });
});

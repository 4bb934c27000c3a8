import { describe, expect, it } from "vitest";
import { medianWithInterval } from "../src/statistics/bootstrap.js";
import { median } from "../src/statistics/quantile.js";
import { seededRandom } from "../src/statistics/random.js";
import { estimateRatio } from "../src/statistics/ratio.js";

describe("bootstrap intervals", () => {
  it("contain the median and stay within the values", () => {
    const { value, interval } = medianWithInterval([[5, 1, 4, 2, 3]], seededRandom(1));
    expect(value).toBe(3);
    expect(interval.low).toBeGreaterThanOrEqual(1);
    expect(interval.low).toBeLessThanOrEqual(3);
    expect(interval.high).toBeGreaterThanOrEqual(3);
    expect(interval.high).toBeLessThanOrEqual(5);
  });

  it("are a point if all values are equal", () => {
    expect(medianWithInterval([[2, 2, 2]], seededRandom(1))).toEqual({ value: 2, interval: { low: 2, high: 2 } });
  });

  it("are repeatable with the same seed", () => {
    const values = [5, 1, 4, 2, 8, 3];
    expect(medianWithInterval([values], seededRandom(9))).toEqual(medianWithInterval([values], seededRandom(9)));
  });

  it("cover the true median about 95 times in 100", () => {
    const random = seededRandom(11);
    let covered = 0;
    for (let trial = 0; trial < 200; trial++) {
      const { interval } = medianWithInterval([Array.from({ length: 20 }, random)], random);
      if (interval.low <= 0.5 && interval.high >= 0.5) covered++;
    }
    expect(covered).toBeGreaterThan(180);
  });
});

describe("intervals over several pages", () => {
  it("contain the median of each of three pages", () => {
    const pages = [0.75, 1, 1.18].map((center) => [center - 0.01, center, center + 0.01]);
    const { value, interval } = medianWithInterval(pages, seededRandom(1));
    expect(value).toBe(1);
    expect(interval.low).toBeLessThanOrEqual(0.75);
    expect(interval.high).toBeGreaterThanOrEqual(1.18);
  });

  it("cover the true median of all pages where the values of one page would not", () => {
    const random = seededRandom(5);
    const covered = { pooled: 0, alone: 0 };
    for (let trial = 0; trial < 60; trial++) {
      const pages = Array.from({ length: 6 }, () => {
        const center = random();
        return Array.from({ length: 6 }, () => center + (random() - 0.5) / 10);
      });
      const covers = ({ interval }: ReturnType<typeof medianWithInterval>) =>
        interval.low <= 0.5 && interval.high >= 0.5;
      if (covers(medianWithInterval(pages, random))) covered.pooled++;
      if (covers(medianWithInterval([pages.flat()], random))) covered.alone++;
    }
    expect(covered.pooled).toBeGreaterThan(50);
    expect(covered.alone).toBeLessThan(45);
  });

  it("ignore a page without values", () => {
    expect(medianWithInterval([[2, 2], []], seededRandom(1)).value).toBe(2);
  });
});

describe("ratios paired by round", () => {
  it("are not affected by what slows down both lanes in a round", () => {
    const slowDown = [1, 0.2, 1, 0.5, 3];
    const fast = slowDown.map((factor) => 300 * factor);
    const slow = slowDown.map((factor) => 20 * factor);
    expect(estimateRatio([fast], [slow], seededRandom(1))?.value).toBeCloseTo(15);
    expect(median(fast) / median(slow)).toBeCloseTo(15);
  });

  it("ignore rounds in which one lane has no value", () => {
    expect(estimateRatio([[2, Number.NaN, 4]], [[1, 1, 0]], seededRandom(1))?.value).toBe(2);
  });

  it("are null if no round has both values", () => {
    expect(estimateRatio([[Number.NaN]], [[1]], seededRandom(1))).toBeNull();
  });
});

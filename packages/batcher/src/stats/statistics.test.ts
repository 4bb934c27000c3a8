import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LogHistogram } from "./statistics.js";

function snapshotOf(values: readonly number[]) {
  const histogram = new LogHistogram();
  for (const value of values) histogram.record(value);
  return histogram.snapshot();
}

/** The value of the nearest rank. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1]!;
}

const spread = fc.double({ min: -5, max: 7, noNaN: true }).map((exponent) => 10 ** exponent);
const value = fc.oneof(
  fc.constant(0),
  spread,
  fc.integer({ min: 1, max: 64 }),
  fc.double({ min: 1, max: 30, noNaN: true }),
);

describe("a histogram", () => {
  it("has percentiles within 5 % of the exact ones, whatever the values", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
        const { p50, p95, p99 } = snapshotOf(values);
        for (const [told, share] of [
          [p50, 0.5],
          [p95, 0.95],
          [p99, 0.99],
        ] as const) {
          const exact = quantile(values, share);
          expect(Math.abs(told - exact)).toBeLessThanOrEqual(0.05 * exact);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("has an exact count, mean, min and max", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const { count, mean, min, max } = snapshotOf(values);
        expect([count, min, max]).toEqual([values.length, Math.min(...values), Math.max(...values)]);
        const sum = values.reduce((total, each) => total + each, 0);
        expect(Math.abs(mean - sum / count)).toBeLessThanOrEqual(1e-9 * (1 + sum));
      }),
    );
  });

  it("of one value has that value everywhere", () => {
    expect(snapshotOf([7.3])).toMatchObject({ count: 1, mean: 7.3, min: 7.3, max: 7.3, p50: 7.3, p95: 7.3, p99: 7.3 });
  });

  it("of no values is all zeros", () => {
    expect(snapshotOf([])).toMatchObject({ count: 0, mean: 0, min: 0, max: 0, p50: 0, p95: 0, p99: 0 });
  });

  it("uses the nearest rank: the lower of two middle values for p50, and the 99th of 100 for p99", () => {
    expect(snapshotOf([1, 1, 100, 100]).p50).toBeLessThan(2);
    const hundred = Array.from({ length: 100 }, (_, index) => (index === 99 ? 1000 : 1));
    expect(snapshotOf(hundred).p99).toBeLessThan(2);
    expect(snapshotOf([...hundred, 1000]).p99).toBeGreaterThan(900);
  });
});

import { expect, test } from "vitest";
import { geometricMean, pairedRatio } from "../src/measure/paired-ratio.js";

test("equal ratios in all pairs give an interval of zero width", () => {
  const { value, low, high } = pairedRatio([600, 60, 6], [100, 10, 1]);
  expect([value, low, high].map((ratio) => ratio.toFixed(6))).toEqual(["6.000000", "6.000000", "6.000000"]);
});

test("pairs that vary around the same rate give an interval that contains 1", () => {
  const { value, low, high } = pairedRatio([110, 90, 100, 105], [100, 100, 100, 100]);
  expect(value).toBeCloseTo(1.01, 2);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1);
});

test("a factor of 2 and a factor of 1/2 have equal weight", () => {
  expect(pairedRatio([200, 50], [100, 100]).value).toBeCloseTo(1, 12);
});

test("the interval uses Student's t on logarithms", () => {
  // Logarithms 1, 2 and 3: mean 2, standard error 1 / √3, t = 4.303 for two degrees of freedom.
  const { value, low, high } = pairedRatio([Math.E, Math.E ** 2, Math.E ** 3], [1, 1, 1]);
  expect(Math.log(value)).toBeCloseTo(2, 9);
  expect(Math.log(high) - 2).toBeCloseTo(4.303 / Math.sqrt(3), 9);
  expect(2 - Math.log(low)).toBeCloseTo(4.303 / Math.sqrt(3), 9);
});

test("a single pair gives an unbounded interval", () => {
  expect(pairedRatio([200], [100])).toEqual({ value: expect.closeTo(2, 9), low: 0, high: Infinity });
});

test("a lane without answers gives a large, finite ratio", () => {
  expect(pairedRatio([100, 100], [0, 0]).value).toBeCloseTo(100_000, 3);
});

test("the ratio is that of the geometric means", () => {
  const [figures, base] = [
    [300, 50, 200],
    [100, 90, 110],
  ];
  expect(pairedRatio(figures, base).value).toBeCloseTo(geometricMean(figures) / geometricMean(base), 9);
});

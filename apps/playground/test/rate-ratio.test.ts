import { expect, test } from "vitest";
import { rateRatio } from "../src/measure/rate-ratio.js";

test("rates that differ by the same factor in every pair have an interval without width", () => {
  const { value, low, high } = rateRatio([600, 60, 6], [100, 10, 1]);
  expect([value, low, high].map((ratio) => ratio.toFixed(6))).toEqual(["6.000000", "6.000000", "6.000000"]);
});

test("pairs that scatter around the same rate have an interval that holds 1", () => {
  const { value, low, high } = rateRatio([110, 90, 100, 105], [100, 100, 100, 100]);
  expect(value).toBeCloseTo(1.01, 2);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1);
});

test("twice and half weigh alike", () => {
  expect(rateRatio([200, 50], [100, 100]).value).toBeCloseTo(1, 12);
});

test("the interval is the one of Student's t on logarithms", () => {
  // Logarithms 1, 2 and 3: mean 2, standard error 1 / √3, t = 4.303 for two degrees of freedom.
  const { value, low, high } = rateRatio([Math.E, Math.E ** 2, Math.E ** 3], [1, 1, 1]);
  expect(Math.log(value)).toBeCloseTo(2, 9);
  expect(Math.log(high) - 2).toBeCloseTo(4.303 / Math.sqrt(3), 9);
  expect(2 - Math.log(low)).toBeCloseTo(4.303 / Math.sqrt(3), 9);
});

test("a single pair tells nothing about how far it is off", () => {
  expect(rateRatio([200], [100])).toEqual({ value: expect.closeTo(2, 9), low: 0, high: Infinity });
});

test("a lane that answered nothing gives a huge ratio, not an infinite one", () => {
  expect(rateRatio([100, 100], [0, 0]).value).toBeCloseTo(100_000, 3);
});

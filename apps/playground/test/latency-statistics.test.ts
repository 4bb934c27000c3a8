import { expect, test } from "vitest";
import { median, shareWithin, summariseWaits } from "../src/measure/latency-statistics.js";

const ended = (ms: number) => ({ ms, isCutOff: false });
const cutOff = (ms: number) => ({ ms, isCutOff: true });

test("quantiles are measured values, by nearest rank", () => {
  const { p50, p95, p99 } = summariseWaits(Array.from({ length: 100 }, (_, index) => ended(100 - index)));
  expect([p50.ms, p95.ms, p99.ms]).toEqual([50, 95, 99]);
});

test("a cut-off request counts with its time so far and makes the tail a lower bound", () => {
  const { p50, p99, count } = summariseWaits([ended(1), ended(2), ended(3), cutOff(500)]);
  expect(p50).toEqual({ ms: 2, isAtLeast: false });
  expect(p99).toEqual({ ms: 500, isAtLeast: true });
  expect(count).toBe(4);
});

test("a quantile that none of a few requests probably reaches is a lower bound", () => {
  const of = (count: number) => summariseWaits(Array.from({ length: count }, (_, index) => ended(index)));
  const bounds = (count: number) => [of(count).p50, of(count).p95, of(count).p99].map(({ isAtLeast }) => isAtLeast);
  expect([1, 13, 14, 68, 69].map(bounds)).toEqual([
    [false, true, true],
    [false, true, true],
    [false, false, true],
    [false, false, true],
    [false, false, false],
  ]);
});

test("no measurements give zeros, not an error", () => {
  expect(summariseWaits([]).p99).toEqual({ ms: 0, isAtLeast: true });
  expect(median([])).toBe(0);
});

test("a share counts values up to and including the limit", () => {
  const ascending = Float64Array.of(1, 2, 2, 3);
  expect([0.5, 1, 2, 2.5, 3].map((limit) => shareWithin(ascending, limit, 4))).toEqual([0, 0.25, 0.75, 0.75, 1]);
});

test("cut-off requests count in the total of a share", () => {
  expect(shareWithin(Float64Array.of(1, 2), 10, 4)).toBe(0.5);
});

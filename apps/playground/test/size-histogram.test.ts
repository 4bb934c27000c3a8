import { expect, test } from "vitest";
import { sizeHistogram } from "../src/instruments/size-histogram.js";

test("cumulative counts are split by octave", () => {
  const buckets = [
    { le: 1.04, count: 5 },
    { le: 2.1, count: 7 },
    { le: 8.3, count: 8 },
    { le: 68.4, count: 20 },
  ];
  expect(sizeHistogram({ buckets, max: 64 })).toEqual({
    bounds: [1, 2, 4, 8, 16, 32, 64],
    counts: [5, 2, 0, 1, 0, 0, 12],
  });
});

test("an empty distribution gives an empty histogram", () => {
  expect(sizeHistogram({ buckets: [], max: 0 })).toEqual({ bounds: [1], counts: [0] });
});

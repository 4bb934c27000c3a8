import { expect, test } from "vitest";
import { medianSince } from "../src/instruments/median-since.js";

const BEFORE = {
  count: 10,
  buckets: [
    { le: 1, count: 4 },
    { le: 8, count: 10 },
  ],
};

test("only values after the first look count", () => {
  const after = {
    count: 15,
    buckets: [
      { le: 1, count: 4 },
      { le: 2, count: 7 },
      { le: 8, count: 13 },
      { le: 16, count: 15 },
    ],
  };
  expect(medianSince(BEFORE, after)).toBe(2);
});

test("no new value gives 0", () => {
  expect(medianSince(BEFORE, BEFORE)).toBe(0);
});

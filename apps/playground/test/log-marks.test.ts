import { expect, test } from "vitest";
import { roundLogMarks } from "../src/instruments/log-marks.js";

function numbersAt(length: number, low = Math.log10(3), high = Math.log10(400)) {
  return roundLogMarks({ low, high, length, gap: 56 }).map((mark) => Math.round(10 ** mark));
}

test("an axis has as many round numbers as keep the distance of two ticks", () => {
  expect(numbersAt(600)).toEqual([5, 10, 20, 50, 100, 200]);
  expect(numbersAt(270)).toEqual([3, 10, 30, 100, 300]);
  expect(numbersAt(160)).toEqual([10, 100]);
});

test("an axis of a few pixels still has the powers of ten", () => {
  expect(numbersAt(40)).toEqual([10, 100]);
});

test("an axis of less than a decade has ticks too, such as that of latencies from 21 to 29 ms", () => {
  const between = (low: number, high: number) => numbersAt(600, Math.log10(low), Math.log10(high));
  expect(between(21, 29)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29]);
  expect(between(110, 140)).toEqual([110, 120, 130, 140]);
  for (let low = 10; low < 100; low++) expect(between(low, 1.25 * low)).not.toEqual([]);
});

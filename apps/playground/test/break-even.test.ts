import { expect, test } from "vitest";
import { breakEven, describeBreakEven } from "../src/recommend/break-even.js";

const points = (...factors: readonly number[]) =>
  factors.map((value, index) => ({ callers: 4 ** index, factor: { value, low: value, high: value } }));

test("batching pays from between two measured numbers of callers", () => {
  expect(breakEven(points(1, 1, 2, 4))).toEqual({ after: 4, at: 16 });
});

test("a gain counts only if it lasts with more callers", () => {
  expect(breakEven(points(2, 0.9, 2))).toEqual({ after: 4, at: 16 });
  expect(breakEven(points(2, 2, 0.9))).toBeNull();
});

test("it is described by what was measured, also if batching pays always or never", () => {
  expect(describeBreakEven(points(1, 2, 4))).toBe("Batching pays from a number between 1 and 4 callers on.");
  const varying = points(1, 2, 4).map((point) => ({ ...point, factor: { ...point.factor, low: 0.5 } }));
  expect(describeBreakEven(varying)).toBe(
    "Batching seems to pay from a number between 1 and 4 callers on, but the measurements vary.",
  );
  expect(describeBreakEven(points(2, 3, 4))).toBe("Batching pays from the first caller on.");
  expect(describeBreakEven(points(1, 1, 1))).toBe("Batching pays for no number of callers up to 16.");
  expect(describeBreakEven(points(1, 2, 2, 1))).toBe("Batching pays for 4 and 16 callers, but not for 64.");
});

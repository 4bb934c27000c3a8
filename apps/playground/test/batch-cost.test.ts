import { expect, test } from "vitest";
import { isComputeBound, measuredBatchCost } from "../src/measure/batch-cost.js";

const cost = (...curve: readonly (readonly [size: number, ms: number, weight: number])[]) => ({
  cost: { targetSize: 1, curve: curve.map(([size, ms, weight]) => ({ size, ms, weight })) },
});

test("the largest measured batch is compared with a single item", () => {
  expect(measuredBatchCost(cost([1, 2, 4], [8, 4, 3], [16, 6, 2], [32, 9, 0.2]))).toEqual({ size: 16, times: 3 });
});

test("returns null if the time of single items or of batches was only inferred", () => {
  expect(measuredBatchCost(cost([1, 2, 0], [8, 4, 3]))).toBeNull();
  expect(measuredBatchCost(cost([1, 2, 9], [8, 4, 0]))).toBeNull();
  expect(measuredBatchCost(cost())).toBeNull();
});

test("a batch that costs nearly as much as its items one by one is compute-bound", () => {
  expect(isComputeBound({ size: 16, times: 15 })).toBe(true);
  expect(isComputeBound({ size: 16, times: 8 })).toBe(false);
});

import { expect, test } from "vitest";
import { batchesByWidth } from "../src/scenes/read-page/width-batches.js";

test("lines are counted by width and batch, narrow lines first", () => {
  const lines = [
    { width: 512, batchId: 7 },
    { width: 64, batchId: 3 },
    { width: 512, batchId: 2 },
    { width: 512, batchId: 7 },
  ];
  expect(batchesByWidth(lines)).toEqual([
    { width: 64, sizes: [1] },
    { width: 512, sizes: [2, 1] },
  ]);
  expect(batchesByWidth([])).toEqual([]);
});

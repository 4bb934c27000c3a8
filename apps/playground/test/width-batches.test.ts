import { expect, test } from "vitest";
import { batchesByWidth, equalBatches } from "../src/scenes/read-page/width-batches.js";

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

test("batches of the same size are one entry, however many there are", () => {
  expect(equalBatches({ width: 320, sizes: [1, 2, 1, 1, 2, 4] })).toEqual([
    { size: 4, count: 1 },
    { size: 2, count: 2 },
    { size: 1, count: 3 },
  ]);
});

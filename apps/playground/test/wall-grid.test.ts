import { expect, test } from "vitest";
import { wallGrid } from "../src/comparison/wall-grid.js";

test("a wall has no empty places if it can avoid them", () => {
  expect([1, 2, 64, 100, 256].map((tiles) => wallGrid(tiles))).toEqual([
    { columns: 2, rows: 1 },
    { columns: 2, rows: 1 },
    { columns: 16, rows: 4 },
    { columns: 20, rows: 5 },
    { columns: 32, rows: 8 },
  ]);
});

test("a prime number of tiles is about twice as wide as high", () => {
  expect(wallGrid(61)).toEqual({ columns: 12, rows: 6 });
});

import { expect, it } from "vitest";
import { placeOf } from "./device-rows.js";

it("rows stand in a buffer piece by piece, and within a piece row by row", () => {
  // Dims [2, 3, 4], batch on axis 1, 4 bytes an element: a row has two pieces of 16 bytes.
  const layout = { count: 3, rowBytes: 32, pieceBytes: 16 };
  const places = [0, 1, 2].map((row) => [0, 16].map((byte) => placeOf(layout, row, byte)));
  expect(places).toEqual([
    [0, 48],
    [16, 64],
    [32, 80],
  ]);
  expect(placeOf(layout, 2, 20)).toBe(84);
});

it("a row is one piece if the batch is on the first axis", () => {
  const layout = { count: 5, rowBytes: 24, pieceBytes: 24 };
  expect([0, 1, 4].map((row) => placeOf(layout, row, 8))).toEqual([8, 32, 104]);
});

import { expect, test } from "vitest";
import { shapeOfLine } from "../src/reader/line-image.js";
import { fromOutputs, toOutputs } from "../src/reader/line-text.js";

test("lines share a batch only if they have the same width", () => {
  const shapes = [64, 64, 128].map((width) =>
    shapeOfLine({ pixels: { data: new Uint8ClampedArray(48 * width * 4), dims: [48, width, 4] } }),
  );
  expect(shapes).toEqual([
    { group: "64", extents: [64] },
    { group: "64", extents: [64] },
    { group: "128", extents: [128] },
  ]);
});

test("a line's text survives its way through tensors", () => {
  expect(fromOutputs(toOutputs({ text: "Article 1", confidence: 0.75 }))).toEqual({
    text: "Article 1",
    confidence: 0.75,
  });
});

import type { TensorInfo, TensorType } from "framebatch";
import { expect, it } from "vitest";
import { itemDims, usualSizes } from "../src/scenes/your-model/input-choice.js";
import { pictureShape } from "../src/scenes/your-model/picture.js";

function input(dims: readonly (number | null)[], type: TensorType = "float32"): TensorInfo {
  return { name: "x", type, dims, symbols: dims.map((_, axis) => `side ${axis}`), batchAxis: 0 };
}

function shapeOf(info: TensorInfo) {
  return pictureShape(info, itemDims(info, usualSizes([info])));
}

it("takes one or three channels before or after two sides as a picture", () => {
  expect(shapeOf(input([null, 3, 64, 48]))).toMatchObject({ layout: "NCHW", channels: "RGB", width: 48, height: 64 });
  expect(shapeOf(input([null, 28, 28, 1], "uint8"))).toMatchObject({ layout: "NHWC", channels: "GRAY", type: "uint8" });
});

it("gives sides without a size the side of a usual picture", () => {
  expect(shapeOf(input([null, 3, 48, null]))).toMatchObject({ width: 224, height: 48 });
});

it.each([
  ["a sequence of vectors", input([null, 16, 8])],
  ["more channels than a picture has", input([null, 4, 64, 64])],
  ["features of few pixels", input([null, 3, 2, 2])],
  ["integer ids", input([null, 3, 64, 64], "int64")],
])("does not take %s as a picture", (_, info) => {
  expect(shapeOf(info)).toBeNull();
});

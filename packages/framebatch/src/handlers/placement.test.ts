import { describe, expect, test } from "vitest";
import { place, tensorSize } from "./placement.js";

const IMAGE = { width: 640, height: 480 };
const WHOLE = [0, 0, 640, 480];

describe("the size of the tensor", () => {
  test.each([
    ["both given", { width: 224, height: 100 }, { width: 224, height: 100 }],
    ["only the height", { width: undefined, height: 48 }, { width: 64, height: 48 }],
    ["only the width", { width: 320, height: undefined }, { width: 320, height: 240 }],
    ["neither", { width: undefined, height: undefined }, IMAGE],
    ["rounded", { width: undefined, height: 50 }, { width: 67, height: 50 }],
  ])("%s", (_, wanted, size) => {
    expect(tensorSize(IMAGE, wanted)).toEqual(size);
  });

  test("is at least one pixel", () => {
    expect(tensorSize({ width: 1, height: 1000 }, { width: undefined, height: 48 })).toEqual({ width: 1, height: 48 });
  });
});

describe("the place of the image", () => {
  test("fill stretches the whole image", () => {
    expect(place(IMAGE, { width: 224, height: 224 }, "fill")).toEqual({ from: WHOLE, to: [0, 0, 224, 224] });
  });

  test("contain centers the whole image on whole pixels", () => {
    expect(place(IMAGE, { width: 224, height: 224 }, "contain")).toEqual({ from: WHOLE, to: [0, 28, 224, 168] });
    expect(place(IMAGE, { width: 201, height: 48 }, "contain")).toEqual({ from: WHOLE, to: [68, 0, 64, 48] });
  });

  test("contain keeps a thin image visible and inside", () => {
    const thin = { width: 1000, height: 1 };
    expect(place(thin, { width: 10, height: 10 }, "contain").to).toEqual([0, 4, 10, 1]);
  });

  test("cover cuts equally off opposite sides", () => {
    expect(place(IMAGE, { width: 224, height: 224 }, "cover")).toEqual({
      from: [80, 0, 480, 480],
      to: [0, 0, 224, 224],
    });
    expect(place(IMAGE, { width: 640, height: 240 }, "cover")).toEqual({
      from: [0, 120, 640, 240],
      to: [0, 0, 640, 240],
    });
  });
});

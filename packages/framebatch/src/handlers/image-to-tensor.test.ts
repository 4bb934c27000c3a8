import { describe, expect, it, test } from "vitest";
import { checkImageOptions, type ImageFit, type ImageTensorOptions } from "./image-options.js";
import { boxesToImage, geometryOf, pixelsToTensor, place, type Size, tensorSize } from "./image-to-tensor.js";

/** Two pixels side by side. */
const SIZE = { width: 2, height: 1 };
const RGBA = Uint8ClampedArray.of(255, 0, 51, 255, 10, 20, 30, 255);

function tensor(options: ImageTensorOptions) {
  return pixelsToTensor(RGBA, SIZE, checkImageOptions(options));
}

describe("pixels as a tensor", () => {
  test.each<[string, ImageTensorOptions, number[], number[]]>([
    ["planes", {}, [3, 1, 2], [255, 10, 0, 20, 51, 30]],
    ["interleaved", { layout: "NHWC" }, [1, 2, 3], [255, 0, 51, 10, 20, 30]],
    ["planes from blue to red", { channels: "BGR" }, [3, 1, 2], [51, 30, 0, 20, 255, 10]],
    ["interleaved from blue to red", { channels: "BGR", layout: "NHWC" }, [1, 2, 3], [51, 0, 255, 30, 20, 10]],
    // 0.299 · 255 + 0.114 · 51 = 82.06; 0.299 · 10 + 0.587 · 20 + 0.114 · 30 = 18.15
    ["a gray plane", { channels: "GRAY" }, [1, 1, 2], [82, 18]],
    ["interleaved gray", { channels: "GRAY", layout: "NHWC" }, [1, 2, 1], [82, 18]],
  ])("%s", (_, options, dims, data) => {
    expect(tensor({ ...options, type: "uint8" })).toEqual({ type: "uint8", dims, data: Uint8Array.from(data) });
    const inUnits = Float32Array.from(data, (value) => value / 255);
    expect(tensor(options)).toEqual({ type: "float32", dims, data: inUnits });
  });

  test("mean and std follow the order of the channels", () => {
    const { data } = tensor({ channels: "BGR", mean: [0.1, 0.2, 0.3], std: [1, 2, 4] });
    const blue = [51 / 255 - 0.1, 30 / 255 - 0.1];
    const green = [-0.2 / 2, (20 / 255 - 0.2) / 2];
    const red = [(1 - 0.3) / 4, (10 / 255 - 0.3) / 4];
    expect(data).toEqual(Float32Array.of(...blue, ...green, ...red));
  });

  test("one mean and one std apply to every channel", () => {
    expect(tensor({ mean: 0.5, std: 0.5 }).data).toEqual(
      Float32Array.from([255, 10, 0, 20, 51, 30], (value) => (value / 255 - 0.5) / 0.5),
    );
  });

  test("std 1 / 255 leaves whole values", () => {
    expect(tensor({ std: 1 / 255 }).data).toEqual(Float32Array.of(255, 10, 0, 20, 51, 30));
  });

  test("white and black have luma 255 and 0", () => {
    const rgba = Uint8ClampedArray.of(255, 255, 255, 255, 0, 0, 0, 255);
    expect(pixelsToTensor(rgba, SIZE, checkImageOptions({ channels: "GRAY", type: "uint8" })).data).toEqual(
      Uint8Array.of(255, 0),
    );
  });
});

const PHOTO = { width: 1280, height: 720 };
const SQUARE = { width: 640, height: 640 };

it.each<[ImageFit, ReturnType<typeof geometryOf>]>([
  ["contain", { scaleX: 0.5, scaleY: 0.5, offsetX: 0, offsetY: 140 }],
  ["fill", { scaleX: 0.5, scaleY: 640 / 720, offsetX: 0, offsetY: 0 }],
  ["cover", { scaleX: 640 / 720, scaleY: 640 / 720, offsetX: -(280 * 640) / 720, offsetY: 0 }],
])("%s places the image, and boxes return to where they were", (fit, expected) => {
  const geometry = geometryOf(PHOTO, place(PHOTO, SQUARE, { ...SQUARE, fit }));
  for (const [name, value] of Object.entries(expected)) expect(Reflect.get(geometry, name)).toBeCloseTo(value, 9);
  const box = { x: 300, y: 90, width: 500, height: 360, label: "cat" };
  const inTensor = {
    label: "cat",
    x: box.x * geometry.scaleX + geometry.offsetX,
    y: box.y * geometry.scaleY + geometry.offsetY,
    width: box.width * geometry.scaleX,
    height: box.height * geometry.scaleY,
  };
  const [back] = boxesToImage([inTensor], geometry);
  expect(back?.label).toBe("cat");
  for (const side of ["x", "y", "width", "height"] as const) expect(back?.[side]).toBeCloseTo(box[side], 9);
});

it("the corners of a rounded letterbox are the corners of the image", () => {
  const photo = { width: 500, height: 333 };
  const placement = place(photo, SQUARE, { ...SQUARE, fit: "contain" });
  const [x, y, width, height] = placement;
  const [back] = boxesToImage([{ x, y, width, height }], geometryOf(photo, placement));
  expect(back?.x).toBeCloseTo(0, 9);
  expect(back?.y).toBeCloseTo(0, 9);
  expect(back?.width).toBeCloseTo(photo.width, 9);
  expect(back?.height).toBeCloseTo(photo.height, 9);
});

const IMAGE = { width: 640, height: 480 };

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
    expect(placed({ width: 224, height: 224 }, "fill")).toEqual([0, 0, 224, 224]);
  });

  test("contain centers the whole image on whole pixels", () => {
    expect(placed({ width: 224, height: 224 }, "contain")).toEqual([0, 28, 224, 168]);
    expect(placed({ width: 201, height: 48 }, "contain")).toEqual([68, 0, 64, 48]);
  });

  test("contain keeps a thin image visible and inside", () => {
    expect(placed({ width: 10, height: 10 }, "contain", { width: 1000, height: 1 })).toEqual([0, 4, 10, 1]);
  });

  test("cover exceeds the tensor equally on opposite sides", () => {
    expect(placed({ width: 240, height: 240 }, "cover")).toEqual([-40, 0, 320, 240]);
    expect(placed({ width: 640, height: 240 }, "cover")).toEqual([0, -120, 640, 480]);
  });

  test.each(["fill", "contain", "cover"] as const)("%s fills a size that follows from the aspect ratio", (fit) => {
    // The ratio gives 213.33 pixels: on the 213 of the tensor, the height of the image would be 639 of 640.
    const photo = { width: 333, height: 999 };
    const wanted = { width: undefined, height: 640, fit };
    const size = tensorSize(photo, wanted);
    expect(place(photo, size, wanted)).toEqual([0, 0, 213, 640]);
  });
});

function placed(size: Size, fit: ImageFit, image: Size = IMAGE) {
  return place(image, size, { ...size, fit });
}

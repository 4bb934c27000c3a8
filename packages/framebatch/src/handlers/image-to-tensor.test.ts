import { describe, expect, test } from "vitest";
import { checkImageOptions, type ImageTensorOptions } from "./image-options.js";
import { pixelsToTensor } from "./image-to-tensor.js";

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

import { describe, expect, test } from "vitest";
import { checkImageOptions, type ImageTensorOptions } from "./image-options.js";

describe("the options of imageToTensor", () => {
  test("have defaults", () => {
    expect(checkImageOptions({})).toEqual({
      width: undefined,
      height: undefined,
      fit: "fill",
      background: "black",
      channels: "RGB",
      layout: "NCHW",
      type: "float32",
      mean: [0, 0, 0],
      std: [1, 1, 1],
    });
  });

  test.each<[object, string]>([
    [{ heigth: 48 }, 'got "heigth"; did you mean "height"?'],
    [{ width: 0 }, "width: expected a whole number of pixels from 1, got number 0; round it, or leave it out"],
    [{ height: 1.5 }, "height: expected a whole number of pixels from 1, got number 1.5"],
    [{ fit: "crop" }, 'fit: expected one of "fill", "contain", "cover", got string "crop"'],
    [{ channels: "rgb" }, 'channels: expected one of "RGB", "BGR", "GRAY", got string "rgb"'],
    [{ layout: "CHW" }, 'layout: expected one of "NCHW", "NHWC", got string "CHW"'],
    [{ type: "float16" }, 'type: expected one of "float32", "uint8", got string "float16"'],
    [{ mean: [0.5, 0.5] }, "mean: expected a finite number, or 3 for RGB, got Array(2)"],
    [{ mean: NaN }, "mean: expected a finite number, or 3 for RGB, got number NaN"],
    [{ std: [1, 0, 1] }, "std: expected a finite number other than 0, or 3 for RGB, got Array(3)"],
    [{ std: [1, 1, 1], channels: "GRAY" }, "std: expected a finite number other than 0, or 1 for GRAY, got Array(3)"],
    [{ mean: 0.5, type: "uint8" }, 'mean: expected no mean with type "uint8", got number 0.5; remove it'],
  ])("%j is rejected", (options: ImageTensorOptions, message) => {
    expect(() => checkImageOptions(options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(message) }),
    );
  });
});

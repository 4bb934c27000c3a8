import { expect, test } from "vitest";
import { imageToTensor } from "./index.js";

/** An image, as far as `imageToTensor` looks at it before it reads pixels. */
const picture = { width: 4, height: 2 };

// defect E23
test.each([
  ["both sizes", { width: 1e10, height: 4 }, "10000000000 by 4"],
  ["one size", { width: 4, height: 2 ** 53 }, "4 by 9007199254740992"],
  ["a width that follows from the height", { height: 9000 }, "18000 by 9000"],
])("imageToTensor rejects a tensor of more pixels than a canvas has: %s", (_what, options, size) => {
  const convert = () => Reflect.apply(imageToTensor, null, [picture, options]);
  expect(convert).toThrow(
    expect.objectContaining({
      code: "INVALID_OPTION",
      message: `width and height: expected at most 16384 pixels, got ${size}; pass a smaller size`,
    }),
  );
});

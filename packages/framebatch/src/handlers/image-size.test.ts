import { expect, test } from "vitest";
import { imageGeometry, imageToTensor } from "./index.js";

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

// Browsers draw nothing of such an element: the tensor would be that of a black image.
test.each([
  ["an image of which a part has arrived", { naturalWidth: 4, naturalHeight: 2, complete: false }],
  ["a video before its first frame", { videoWidth: 4, videoHeight: 2, readyState: 1 }],
])("imageToTensor rejects %s, although its size is known", (_what, element) => {
  const convert = () => Reflect.apply(imageToTensor, null, [element, { width: 2, height: 2 }]);
  expect(convert).toThrow(
    expect.objectContaining({
      code: "INVALID_INPUT",
      message: expect.stringContaining("expected an image with pixels"),
    }),
  );
});

test.each([
  ["a Response to imageToTensor", imageToTensor, new Response("pixels"), "got a Response"],
  ["a Blob to imageGeometry", imageGeometry, new Blob(["pixels"]), "or in imageToTensor a Blob, got a Blob"],
])("%s is rejected as what it is", (_what, read, given, message) => {
  expect(() => Reflect.apply(read, null, [given])).toThrow(
    expect.objectContaining({ code: "INVALID_INPUT", message: expect.stringContaining(message) }),
  );
});

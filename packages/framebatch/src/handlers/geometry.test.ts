import { expect, it } from "vitest";
import { boxesToImage, geometryOf } from "./geometry.js";
import type { ImageFit } from "./image-options.js";
import { place } from "./placement.js";

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

import { describe, expect, test } from "vitest";
import { detectorSize } from "../src/boxes/detector-input.js";
import { cornersOf, scaleBox, type RotatedBox } from "../src/boxes/geometry.js";
import { alongText, lineWidth, paddedWidth } from "../src/lines/line-size.js";

const BOX: RotatedBox = { center: { x: 100, y: 50 }, width: 200, height: 20, angle: 0.05 };

describe("the detector's size", () => {
  test.each([
    [{ width: 960, height: 1280 }, 960, { width: 736, height: 960 }],
    [{ width: 640, height: 480 }, 960, { width: 640, height: 480 }],
    [{ width: 100, height: 10 }, 960, { width: 96, height: 32 }],
    [{ width: 4000, height: 3000 }, 1280, { width: 1280, height: 960 }],
  ])("%j with limit %d", (page, limit, size) => {
    expect(detectorSize(page, limit)).toEqual(size);
  });
});

describe("boxes at another scale", () => {
  test("keep the shape if both axes scale alike", () => {
    const scaled = scaleBox(BOX, 2, 2);
    expect(scaled.center).toEqual({ x: 200, y: 100 });
    expect(scaled.width).toBeCloseTo(400, 9);
    expect(scaled.height).toBeCloseTo(40, 9);
    expect(scaled.angle).toBeCloseTo(0.05, 9);
  });

  test("follow the line's direction and keep its area's scale if they do not", () => {
    const scaled = scaleBox(BOX, 1.1, 0.9);
    const [from, to] = cornersOf(BOX);
    const direction = Math.atan2((to.y - from.y) * 0.9, (to.x - from.x) * 1.1);
    expect(scaled.angle).toBeCloseTo(direction, 9);
    expect(scaled.width * scaled.height).toBeCloseTo(200 * 20 * 1.1 * 0.9, 6);
  });
});

describe("lines", () => {
  test("that run down the page are turned by a quarter", () => {
    const tall = { ...BOX, width: 20, height: 200 };
    expect(alongText(tall)).toEqual({ ...BOX, angle: 0.05 + Math.PI / 2 });
    expect(alongText(BOX)).toBe(BOX);
    expect(alongText({ ...BOX, width: 20, height: 29 })).toEqual({ ...BOX, width: 20, height: 29 });
  });

  test("keep their aspect ratio at the recognizer's height, and are padded to steps", () => {
    expect(lineWidth(BOX)).toBe(480);
    expect([1, 64, 65, 480, 481].map(paddedWidth)).toEqual([64, 64, 128, 512, 512]);
  });
});

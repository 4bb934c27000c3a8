import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cornersOf, rotate, type Point, type RotatedBox } from "../src/boxes/geometry.js";
import { convexHull, minAreaBox } from "../src/boxes/min-area-box.js";

const coordinate = fc.integer({ min: -50, max: 50 });
const points = fc.array(fc.record({ x: coordinate, y: coordinate }), { minLength: 1, maxLength: 30 });

function holds({ center, width, height, angle }: RotatedBox, point: Point): boolean {
  const { x, y } = rotate({ x: point.x - center.x, y: point.y - center.y }, -angle);
  return Math.abs(x) <= width / 2 + 1e-9 && Math.abs(y) <= height / 2 + 1e-9;
}

describe("the smallest box", () => {
  test("of an upright rectangle is that rectangle", () => {
    const corners = [
      { x: 2, y: 1 },
      { x: 12, y: 1 },
      { x: 12, y: 4 },
      { x: 2, y: 4 },
    ];
    expect(minAreaBox(corners)).toEqual({ center: { x: 7, y: 2.5 }, width: 10, height: 3, angle: 0 });
  });

  test.each([-44, -3, 0.5, 3, 44])("finds a rectangle that is tilted by %d°", (degrees) => {
    const box = { center: { x: 100, y: 60 }, width: 80, height: 20, angle: (degrees * Math.PI) / 180 };
    const found = minAreaBox([box.center, ...cornersOf(box)]);
    expect(found.center.x).toBeCloseTo(100, 9);
    expect(found.center.y).toBeCloseTo(60, 9);
    expect(found.width).toBeCloseTo(80, 9);
    expect(found.height).toBeCloseTo(20, 9);
    expect(found.angle).toBeCloseTo(box.angle, 9);
  });

  test("of one point, and of points on a line, is flat", () => {
    expect(minAreaBox([{ x: 3, y: 4 }])).toEqual({ center: { x: 3, y: 4 }, width: 0, height: 0, angle: 0 });
    const line = minAreaBox([0, 1, 2, 3].map((x) => ({ x, y: x / 2 })));
    expect(line.height).toBeCloseTo(0, 9);
    expect(line.width).toBeCloseTo(Math.hypot(3, 1.5), 9);
  });

  test("holds every point, and no box at another angle is smaller", () => {
    fc.assert(
      fc.property(points, fc.double({ min: -Math.PI / 4, max: Math.PI / 4, noNaN: true }), (given, angle) => {
        const box = minAreaBox(given);
        expect(given.every((point) => holds(box, point))).toBe(true);
        expect(Math.abs(box.angle)).toBeLessThanOrEqual(Math.PI / 4 + 1e-9);
        const turned = given.map((point) => rotate(point, -angle));
        const [xs, ys] = [turned.map(({ x }) => x), turned.map(({ y }) => y)];
        const area = (Math.max(...xs) - Math.min(...xs)) * (Math.max(...ys) - Math.min(...ys));
        expect(box.width * box.height).toBeLessThanOrEqual(area + 1e-6);
      }),
    );
  });
});

test("a convex hull has no point inside and none on an edge", () => {
  const square = [
    { x: 0, y: 0 },
    { x: 2, y: 0 },
    { x: 2, y: 2 },
    { x: 0, y: 2 },
  ];
  expect(convexHull([...square, { x: 1, y: 1 }, { x: 1, y: 0 }, { x: 2, y: 1 }])).toEqual(square);
});

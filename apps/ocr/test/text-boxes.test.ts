import { describe, expect, test } from "vitest";
import { rotate, type RotatedBox } from "../src/boxes/geometry.js";
import { regionsAbove, type ValueMap } from "../src/boxes/regions.js";
import { findTextBoxes } from "../src/boxes/text-boxes.js";

/** Draws a map from rows of text: `#` is 0.9, `+` is 0.5, anything else 0. */
function mapOf(...rows: string[]): ValueMap {
  const values = Array.from(rows.join(""), (sign) => (sign === "#" ? 0.9 : sign === "+" ? 0.5 : 0));
  return { values, width: rows[0]?.length ?? 0, height: rows.length };
}

/** A map of 200 by 100 pixels with the value 0.9 inside a box. */
function mapWith({ center, width, height, angle }: RotatedBox): ValueMap {
  const size = { width: 200, height: 100 };
  const values = Float32Array.from({ length: size.width * size.height }, (_, pixel) => {
    const at = { x: (pixel % size.width) + 0.5 - center.x, y: Math.floor(pixel / size.width) + 0.5 - center.y };
    const { x, y } = rotate(at, -angle);
    return Math.abs(x) <= width / 2 && Math.abs(y) <= height / 2 ? 0.9 : 0;
  });
  return { values, ...size };
}

describe("regions", () => {
  test("join diagonal neighbours, and keep the outer corners of each row", () => {
    const map = mapOf(
      "##.....", //
      "..#..##",
      "......#",
    );
    const corners = regionsAbove(map, 0.3).map((points) => points.map(({ x, y }) => `${x},${y}`).join(" "));
    expect(corners).toEqual(["0,0 0,1 2,0 2,1 2,1 2,2 3,1 3,2", "5,1 5,2 7,1 7,2 6,2 6,3 7,2 7,3"]);
  });

  test("do not join the end of a row with the start of the next", () => {
    expect(regionsAbove(mapOf("..#", "...", "#.."), 0.3)).toHaveLength(2);
    expect(regionsAbove(mapOf("..#", "#.."), 0.3)).toHaveLength(2);
  });

  test("have none in a map below the threshold", () => {
    expect(regionsAbove(mapOf("+++", "+++"), 0.5)).toEqual([]);
  });
});

describe("text boxes", () => {
  test("grow a region by D = A · r / L on each side", () => {
    const [box] = findTextBoxes(mapWith({ center: { x: 100, y: 50 }, width: 120, height: 10, angle: 0 }));
    const distance = (120 * 10 * 1.5) / (2 * (120 + 10));
    expect(box).toMatchObject({ center: { x: 100, y: 50 }, angle: 0 });
    expect(box?.width).toBeCloseTo(120 + 2 * distance, 9);
    expect(box?.height).toBeCloseTo(10 + 2 * distance, 9);
    expect(box?.score).toBeCloseTo(0.9, 5);
  });

  test.each([3, -3, 30])("follow a region tilted by %d°", (degrees) => {
    const region = { center: { x: 100, y: 50 }, width: 120, height: 10, angle: (degrees * Math.PI) / 180 };
    const [box] = findTextBoxes(mapWith(region));
    const distance = (120 * 10 * 1.5) / (2 * (120 + 10));
    // The corners of its pixels reach up to a pixel further on each side, and the box grows with them.
    const isNear = (value: number | undefined, expected: number) =>
      expect(Math.abs((value ?? NaN) - expected)).toBeLessThan(3.5);
    isNear(box?.center.x, 100);
    isNear(box?.center.y, 50);
    isNear(box?.width, 120 + 2 * distance);
    isNear(box?.height, 10 + 2 * distance);
    expect(box?.angle).toBeCloseTo(region.angle, 1);
  });

  test("leave out regions that are uncertain, and those that are too small", () => {
    const weak = Array.from({ length: 8 }, () => `${"+".repeat(40)}....`);
    const small = ["..###..", "..###..", "..###.."].map((row) => row.padEnd(44, "."));
    const strong = Array.from({ length: 8 }, () => `${"#".repeat(40)}....`);
    const gap = ".".repeat(44);
    expect(findTextBoxes(mapOf(...weak, gap, ...small))).toEqual([]);
    expect(findTextBoxes(mapOf(...weak, gap, ...small, gap, ...strong))).toHaveLength(1);
  });

  test("find none in an empty map", () => {
    expect(findTextBoxes(mapOf("....", "...."))).toEqual([]);
  });
});

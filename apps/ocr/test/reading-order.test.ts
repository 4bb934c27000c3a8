import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rotate, type RotatedBox } from "../src/boxes/geometry.js";
import { readingOrder } from "../src/boxes/reading-order.js";

interface Named extends RotatedBox {
  readonly name: string;
}

/** A line of 20 pixels height. */
function line(name: string, left: number, top: number, width: number): Named {
  return { name, center: { x: left + width / 2, y: top + 10 }, width, height: 20, angle: 0 };
}

function tilted(lines: readonly Named[], degrees: number): Named[] {
  const angle = (degrees * Math.PI) / 180;
  return lines.map((box) => ({ ...box, angle: box.angle + angle, center: rotate(box.center, angle) }));
}

function names(boxes: readonly Named[]): string {
  return boxes.map(({ name }) => name).join("");
}

const TWO_COLUMNS = [
  ...["a", "b", "c", "d"].map((name, row) => line(name, 0, row * 22, 300 - row * 20)),
  ...["e", "f", "g"].map((name, row) => line(name, 340, row * 22 + 7, 260)),
];

describe("the reading order", () => {
  test.each([0, 3, -3, 10])("of two columns, tilted by %d°, is column by column", (degrees) => {
    fc.assert(
      fc.property(fc.shuffledSubarray(tilted(TWO_COLUMNS, degrees), { minLength: 7 }), (boxes) => {
        expect(names(readingOrder(boxes))).toBe("abcdefg");
      }),
    );
  });

  test("reads a heading before, and a footer after, the columns", () => {
    const heading = line("H", 0, -40, 600);
    const footer = line("F", 100, 120, 400);
    expect(names(readingOrder([...TWO_COLUMNS, footer, heading]))).toBe("HabcdefgF");
  });

  test("reads columns again after a heading in between", () => {
    const next = TWO_COLUMNS.map((box) => ({
      ...box,
      name: box.name.toUpperCase(),
      center: { x: box.center.x, y: box.center.y + 200 },
    }));
    const heading = line("-", 0, 140, 600);
    expect(names(readingOrder([...next, heading, ...TWO_COLUMNS]))).toBe("abcdefg-ABCDEFG");
  });

  test("reads the parts of a line from left to right, and lines whose boxes overlap from top to bottom", () => {
    const lines = [line("c", 0, 30, 300), line("b", 155, 17, 145), line("a", 0, 16, 150), line("d", 0, 44, 100)];
    expect(names(readingOrder(lines))).toBe("abcd");
  });

  test("reads the parts of a line from left to right, whichever box is higher", () => {
    expect(names(readingOrder([line("b", 155, 16, 145), line("a", 0, 17, 150)]))).toBe("ab");
    // Boxes are wider than their text, and reach into each other.
    expect(names(readingOrder([line("c", 240, 18, 60), line("b", 142, 16, 110), line("a", 0, 17, 150)]))).toBe("abc");
  });

  test.each([0, 3, -3])("keeps the columns beside a line that runs down the page, tilted by %d°", (degrees) => {
    const down = { ...line("|", 0, 0, 900), center: { x: -40, y: 45 }, angle: Math.PI / 2 };
    expect(names(readingOrder(tilted([...TWO_COLUMNS, down], degrees)))).toBe("|abcdefg");
  });

  test("of nothing is nothing", () => {
    expect(readingOrder([])).toEqual([]);
  });
});

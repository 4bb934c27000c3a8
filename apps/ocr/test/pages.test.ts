import { describe, expect, test } from "vitest";
import { layOut, PAGE } from "../src/pages/layout.js";
import { pageStyle } from "../src/pages/page-style.js";

/** Every character is 10 pixels wide. */
const widthOf = (text: string) => text.length * 10;
const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");

describe("the layout of a page", () => {
  test.each([1, 2] as const)("with %d columns fills each, in reading order, within the page", (columns) => {
    const lines = layOut(
      Array.from({ length: 40 }, () => WORDS),
      { columns, fontSize: 20 },
      widthOf,
    );
    const lefts = [...new Set(lines.map(({ x }) => x))];
    expect(lefts).toHaveLength(columns);
    const [first = 0, second = PAGE.width] = lefts;
    for (const { x, width, baseline } of lines) {
      expect(x + width).toBeLessThanOrEqual(x === first ? second : PAGE.width);
      expect(baseline).toBeLessThan(PAGE.height);
    }
    expect(lines.map(({ text }) => text).join(" ")).toContain(WORDS);
    const places = lines.map(({ x, baseline }) => x * PAGE.height + baseline);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test("puts a word wider than the column on its own line", () => {
    const long = "x".repeat(200);
    const lines = layOut([`a ${long} b`], { columns: 1, fontSize: 20 }, widthOf);
    expect(lines.map(({ text }) => text)).toEqual(["a", long, "b"]);
  });
});

describe("the styles of pages", () => {
  const styles = Array.from({ length: 32 }, (_, index) => pageStyle(index));

  test("are repeatable", () => {
    expect(styles.map((_, index) => pageStyle(index))).toEqual(styles);
  });

  test("have every font with one and two columns within 16 pages", () => {
    const kinds = styles.slice(0, 16).map(({ font, columns }) => `${font.join(" ")} ${columns}`);
    expect(new Set(kinds).size).toBe(16);
  });

  test("are tilted by at most 3°, and some are dark, blurred or both", () => {
    for (const { angle } of styles) expect(Math.abs(angle)).toBeLessThanOrEqual((3 * Math.PI) / 180);
    expect(styles.filter(({ isDark }) => isDark)).toHaveLength(10);
    expect(styles.filter(({ blur }) => blur > 0)).toHaveLength(16);
    expect(styles.some(({ isDark, blur }) => isDark && blur > 0)).toBe(true);
  });
});

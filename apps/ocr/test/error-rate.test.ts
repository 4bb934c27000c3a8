import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchLines } from "../src/measure/match-lines.js";
import { characterErrors } from "../src/text/error-rate.js";

describe("character errors", () => {
  test.each([
    ["kitten", "sitting", 3],
    ["", "abc", 3],
    ["abc", "", 3],
    ["same", "same", 0],
    ["Case", "case", 1],
    ["a b\n c ", " a  b c", 0],
    ["ab", "a b", 1],
    ["cafe\u0301", "café", 0],
    ["𝒳", "y", 1],
  ])("%j for %j: %d", (read, truth, errors) => {
    expect(characterErrors(read, truth)).toMatchObject({ errors });
  });

  test("are measured against the normalized length", () => {
    expect(characterErrors("x", "  a   𝒳 ").length).toBe(3);
  });

  test("are the same both ways, at most the longer length, and obey the triangle inequality", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const errors = (from: string, to: string) => characterErrors(from, to).errors;
        expect(errors(a, b)).toBe(errors(b, a));
        expect(errors(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(errors(a, b) === 0).toBe(a === b);
        expect(errors(a, c)).toBeLessThanOrEqual(errors(a, b) + errors(b, c));
      }),
    );
  });
});

describe("lines compared by place", () => {
  const line = (text: string, x: number, y: number, width = 100) => ({
    text,
    box: { center: { x, y }, width, height: 20, angle: 0 },
  });
  const truth = [line("one two", 50, 10), line("three", 50, 40)];

  test("do not depend on the order", () => {
    expect(matchLines(truth, [line("three", 48, 41), line("one two", 52, 9)])).toEqual({
      errors: 0,
      length: 12,
      found: 2,
    });
  });

  test("join the parts of a line, count missing lines, and count text outside of all lines", () => {
    expect(matchLines(truth, [line("two", 80, 10, 40), line("one", 20, 10, 40)])).toMatchObject({
      errors: 5,
      found: 1,
    });
    expect(matchLines(truth, [...truth, line("ghost", 300, 300)])).toMatchObject({ errors: 5, found: 2 });
  });

  test("count the characters of text outside of all lines as those of lines", () => {
    expect(matchLines(truth, [...truth, line(" 𝒳  y ", 300, 300)])).toMatchObject({ errors: 3 });
  });
});

import { describe, expect, it } from "vitest";
import { readSizeExpression } from "./size-expression.js";

const SYMBOLS = new Map([["s", 0]]);

describe("the name of a dimension", () => {
  it.each(["(".repeat(200_000), `s${"+s".repeat(100_000)}`, `${"floor(".repeat(50_000)}s${")".repeat(50_000)}`])(
    "defect 29: is not parsed if it is longer than any exporter writes",
    (name) => {
      expect(readSizeExpression(name, SYMBOLS)).toBeNull();
    },
  );

  // defect C26
  it.each(["__proto__(s)", "toString(s)", "s constructor s", "s __proto__ s", "constructor"])(
    "is no expression if it has names that every object has: %s",
    (name) => {
      expect(readSizeExpression(name, SYMBOLS)).toBeNull();
    },
  );

  it("is parsed up to the maximum length", () => {
    const nested = `${"(".repeat(255)}s${")".repeat(255)}`;
    expect(readSizeExpression(nested, SYMBOLS)?.valueOf([7])).toBe(7);
    expect(readSizeExpression(`s${"+s".repeat(255)}`, SYMBOLS)?.valueOf([2])).toBe(512);
    expect(readSizeExpression("(".repeat(512), SYMBOLS)).toBeNull();
  });
});

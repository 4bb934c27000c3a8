import { describe, expect, it } from "vitest";
import { largestWithin } from "./largest-within.js";

describe("largestWithin", () => {
  it("finds the maximum for every limit and bound", () => {
    for (let limit = 0; limit <= 20; limit++) {
      for (let bound = 0; bound <= 22; bound++) {
        expect(largestWithin(limit, (size) => size <= bound)).toBe(Math.min(limit, bound));
      }
    }
  });
});

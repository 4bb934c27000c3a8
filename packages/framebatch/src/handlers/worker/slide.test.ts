import { describe, expect, it } from "vitest";
import { slide } from "./slide.js";

describe("a window of a stream", () => {
  it.each<[added: readonly number[], expected: readonly number[]]>([
    [[], [1, 2, 3, 4]],
    [[5], [2, 3, 4, 5]],
    [
      [5, 6, 7],
      [4, 5, 6, 7],
    ],
    [
      [5, 6, 7, 8],
      [5, 6, 7, 8],
    ],
    [
      [5, 6, 7, 8, 9, 10],
      [7, 8, 9, 10],
    ],
  ])("holds the newest numbers after %j", (added, expected) => {
    const window = Float32Array.of(1, 2, 3, 4);
    expect(slide(window, Float32Array.from(added))).toBe(window);
    expect([...window]).toEqual(expected);
  });

  it("of no numbers stays so", () => {
    expect(slide(new Float32Array(0), Float32Array.of(1))).toHaveLength(0);
  });
});

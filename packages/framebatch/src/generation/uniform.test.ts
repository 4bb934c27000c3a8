import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { philox, uniformAt } from "./uniform.js";

const hex = (words: readonly number[]) => words.map((word) => word.toString(16).padStart(8, "0")).join(" ");

describe("philox", () => {
  it("gives the known answers of Random123", () => {
    const ones = 0xffffffff;
    expect(hex(philox([0, 0, 0, 0], [0, 0]))).toBe("6627e8d5 e169c58d bc57ac4c 9b00dbd8");
    expect(hex(philox([ones, ones, ones, ones], [ones, ones]))).toBe("408f276d 41c83b0e a20bc7c6 6d5451fd");
    const digits = philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]);
    expect(hex(digits)).toBe("d16cfe09 94fdcceb 5001e420 24126ea1");
  });
});

describe("uniformAt", () => {
  it("is in [0, 1), depends on the seed and the position alone, and is evenly spread", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(), (seed, position) => {
        const drawn = uniformAt(seed, position);
        expect(drawn).toBeGreaterThanOrEqual(0);
        expect(drawn).toBeLessThan(1);
        expect(uniformAt(seed, position)).toBe(drawn);
      }),
    );
    const counts = Array.from({ length: 16 }, () => 0);
    for (let position = 0; position < 16_000; position++) counts[Math.floor(uniformAt(7, position) * 16)]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it("differs for seeds that differ only above 32 bits", () => {
    expect(uniformAt(1, 5)).not.toBe(uniformAt(1 + 2 ** 32, 5));
  });
});

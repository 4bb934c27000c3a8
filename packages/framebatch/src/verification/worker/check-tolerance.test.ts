import { describe, expect, it } from "vitest";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { difference, type Answer, forOtherSize, forSamePlace, isNoNumber, tellsNothing } from "./check-tolerance.js";

function answer(data: Tensor["data"], type: Tensor["type"] = "float32"): Answer {
  return { y: { type, dims: [data.length], data } };
}

const floats = (...values: number[]) => answer(Float32Array.from(values));
const bits = (value: number) => answer(Uint16Array.of(value), "float16");

function atSamePlace(one: Answer, other: Answer) {
  return difference(one, other, forSamePlace(one));
}

function ofOtherSize(alone: Answer, together: Answer, moved: Answer[] = [], others: Answer[] = []) {
  return difference(alone, together, forOtherSize({ alone, together, moved, others }));
}

describe("two results of one item at the same place", () => {
  it("are equal within a few steps of rounding, each element by itself", () => {
    expect(atSamePlace(floats(640, 0.05), floats(640, 0.05 * (1 + 2 ** -22)))).toBeNull();
    expect(atSamePlace(floats(640, 0.05), floats(640, 0.0501))).toContain('output "y": expected 0.05');
  });

  it("may both be NaN, or the same infinity", () => {
    expect(atSamePlace(floats(NaN, Infinity, 1), floats(NaN, Infinity, 1))).toBeNull();
    expect(atSamePlace(floats(NaN), floats(0))).toContain("expected NaN");
    expect(atSamePlace(floats(0), floats(NaN))).toContain("got NaN");
    expect(atSamePlace(floats(Infinity), floats(-Infinity))).toContain("got -Infinity");
    expect(atSamePlace(floats(Infinity, 1), floats(3, 1))).toContain("expected Infinity");
  });

  it("are decoded from their bits in half precision if the engine has no array for it", () => {
    const [one, nearlyOne, half] = [0x3c00, 0x3bff, 0x3800] as const;
    expect(atSamePlace(bits(one), bits(nearlyOne))).toBeNull();
    expect(atSamePlace(bits(one), bits(half))).toBe('output "y": expected 1, got 0.5');
  });

  it("must be identical in whole numbers, flags and strings", () => {
    const large = (value: bigint) => answer(BigInt64Array.of(value), "int64");
    expect(atSamePlace(large(7n), large(7n))).toBeNull();
    expect(atSamePlace(large(2n ** 53n), large(2n ** 53n + 1n))).toContain("got 9007199254740993");
    expect(atSamePlace(answer(Uint8Array.of(1), "bool"), answer(Uint8Array.of(0), "bool"))).toContain("got 0");
    expect(atSamePlace(answer(["a"], "string"), answer(["b"], "string"))).toContain("expected a, got b");
  });

  it("differ if one is missing or has other dims", () => {
    expect(atSamePlace(floats(1), {})).toContain("missing");
    expect(atSamePlace(floats(1), floats(1, 2))).toBe('output "y": expected dims [1], got [2]');
  });
});

describe("a result alone and one in a batch", () => {
  it("defect 13: are compared element by element, so that a score counts beside coordinates", () => {
    expect(ofOtherSize(floats(640, 0.05), floats(640, 0.36))).toContain("got 0.36");
    expect(ofOtherSize(floats(640, 0.05), floats(640.1, 0.05002))).toBeNull();
  });

  it("may differ by as much as the result moves with the last bits of the item", () => {
    const [alone, together] = [floats(1, 1), floats(1.01, 1)];
    expect(ofOtherSize(alone, together)).toContain("got 1.0");
    expect(ofOtherSize(alone, together, [floats(1.005, 1), floats(1.013, 1)])).toBeNull();
    expect(ofOtherSize(alone, together, [floats(1.01, 1.5)])).toContain("got 1.0");
  });

  it("may differ slightly in relation to how much the element differs from item to item", () => {
    const others = [floats(5), floats(-3), floats(1e9)];
    expect(ofOtherSize(floats(0), floats(0.004), [], others)).toBeNull();
    expect(ofOtherSize(floats(0), floats(0.04), [], others)).toContain("got 0.0399");
  });

  it("may flip in as many whole numbers as flip with the last bits of the item", () => {
    const labels = (...values: number[]) => answer(Int32Array.from(values), "int32");
    const [alone, together] = [labels(1, 2, 3), labels(1, 2, 4)];
    expect(ofOtherSize(alone, together, [together])).toContain("expected 3, got 4");
    expect(ofOtherSize(alone, together, [labels(1, 7, 4)])).toBeNull();
  });
});

describe("the results of all items", () => {
  it("prove nothing if they are equal in their common elements", () => {
    expect(tellsNothing("y", [floats(1, NaN), floats(1, NaN, 3)])).toBe(true);
    expect(tellsNothing("y", [floats(1), floats(1), floats(1.5)])).toBe(false);
  });

  it("prove nothing if they contain no number", () => {
    expect(isNoNumber(floats(NaN, NaN)["y"])).toBe(true);
    expect(isNoNumber(floats(NaN, 0)["y"])).toBe(false);
    expect(isNoNumber(answer(["a"], "string")["y"])).toBe(false);
  });
});

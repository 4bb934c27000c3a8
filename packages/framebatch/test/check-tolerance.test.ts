import { describe, expect, it } from "vitest";
import type { Tensor } from "../src/core/tensor.js";
import { areAllAlike, difference } from "../src/worker/check-tolerance.js";

function outputs(data: Tensor["data"], type: Tensor["type"] = "float32") {
  return [{ y: { type, dims: [data.length], data } }];
}

const floats = (...values: number[]) => outputs(Float32Array.from(values));

describe("two answers", () => {
  it("are the same within a share of the output's largest number", () => {
    expect(difference(floats(1000, 0), floats(1000.4, 0.4))).toBeNull();
    expect(difference(floats(1000, 0), floats(1000, 0.6))).toBe(
      'output "y": expected 0 as alone, got 0.6000000238418579',
    );
  });

  it("are measured by the largest number of all items, since one item's may be next to nothing", () => {
    const alone = [...floats(0.001), ...floats(50)];
    expect(difference(alone, [...floats(0.01), ...floats(50)])).toBeNull();
    expect(difference(alone, [...floats(0.1), ...floats(50)])).toContain("got 0.1");
  });

  it("may both be no number, or the same infinity", () => {
    expect(difference(floats(NaN, Infinity, 1), floats(NaN, Infinity, 1))).toBeNull();
    expect(difference(floats(NaN), floats(0))).toContain("expected NaN");
    expect(difference(floats(0), floats(NaN))).toContain("got NaN");
    expect(difference(floats(Infinity), floats(-Infinity))).toContain("got -Infinity");
    expect(difference(floats(Infinity, 1), floats(3, 1))).toContain("expected Infinity");
  });

  it("are taken less exactly in half precision, whose bits are read where the engine has no array for it", () => {
    const [one, nearlyOne, half] = [0x3c00, 0x3bf8, 0x3800] as const;
    const bits = (value: number) => outputs(Uint16Array.of(value), "float16");
    expect(difference(bits(one), bits(nearlyOne))).toBeNull();
    expect(difference(bits(one), bits(half))).toBe('output "y": expected 1 as alone, got 0.5');
  });

  it("must be the same in whole numbers, flags and texts", () => {
    expect(difference(outputs(BigInt64Array.of(7n), "int64"), outputs(BigInt64Array.of(7n), "int64"))).toBeNull();
    expect(
      difference(outputs(BigInt64Array.of(2n ** 53n), "int64"), outputs(BigInt64Array.of(2n ** 53n + 1n), "int64")),
    ).toContain("got 9007199254740993");
    expect(difference(outputs(Uint8Array.of(1), "bool"), outputs(Uint8Array.of(0), "bool"))).toContain("got 0");
    expect(difference(outputs(["a"], "string"), outputs(["b"], "string"))).toContain("expected a as alone, got b");
  });

  it("differ where one is missing or of other dims", () => {
    expect(difference(floats(1), [])).toContain("missing");
    expect(difference(floats(1), floats(1, 2))).toBe('output "y": expected dims [1], got [2]');
  });
});

describe("the answers of all items", () => {
  it("are alike where nothing tells them apart", () => {
    expect(areAllAlike([...floats(1, NaN), ...floats(1, NaN)])).toBe(true);
    expect(areAllAlike([...floats(1), ...floats(1), ...floats(1.5)])).toBe(false);
  });
});

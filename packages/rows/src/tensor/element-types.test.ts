import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementOf } from "./element-types.js";
import { halfFloatBits } from "./half-float.js";
import { closestName } from "@framebatch/batcher/errors/names.js";
import { Slab } from "./slab.js";
import type { TensorType } from "./tensor.js";

/** Each entry: a type, accepted values with their elements, and rejected values. */
const cases: [type: TensorType, fits: [given: unknown, element: unknown][], refused: unknown[]][] = [
  [
    "float32",
    [
      [1.5, 1.5],
      [NaN, NaN],
      [-Infinity, -Infinity],
    ],
    [1n, true, "1", null, undefined, [1]],
  ],
  ["float64", [[0.1, 0.1]], [1n, "0.1"]],
  [
    "int8",
    [
      [-128, -128],
      [127n, 127],
    ],
    [128, -129, 0.5, NaN, 200n],
  ],
  [
    "int16",
    [
      [-32768, -32768],
      [32767, 32767],
    ],
    [32768, -32769],
  ],
  [
    "int32",
    [
      [-2147483648, -2147483648],
      [2147483647, 2147483647],
    ],
    [2147483648, true],
  ],
  [
    "uint8",
    [
      [0, 0],
      [255, 255],
    ],
    [-1, 256],
  ],
  ["uint16", [[65535, 65535]], [-1, 65536]],
  ["uint32", [[4294967295, 4294967295]], [-1, 4294967296]],
  [
    "int64",
    [
      [5, 5n],
      [-(2n ** 63n), -(2n ** 63n)],
    ],
    [2 ** 53, 2n ** 63n, 0.5, "5"],
  ],
  [
    "uint64",
    [
      [5, 5n],
      [2n ** 64n - 1n, 2n ** 64n - 1n],
    ],
    [-1, -1n, 2n ** 64n],
  ],
  [
    "bool",
    [
      [true, 1],
      [false, 0],
      [1, 1],
      [0, 0],
    ],
    [2, "true", null],
  ],
  [
    "string",
    [
      ["", ""],
      ["é", "é"],
    ],
    [1, null],
  ],
];

describe("elements", () => {
  it.each(cases)("of %s are parsed if they fit", (type, fits, refused) => {
    const element = elementOf(type);
    for (const [given, parsed] of fits) expect(element.parse(given)).toEqual(parsed);
    for (const given of refused) expect(element.parse(given)).toBeUndefined();
  });

  it("are copied only from arrays of the type's class", () => {
    const slab = new Slab();
    expect(elementOf("float32").copy(new Float64Array(2), 2, slab)).toBeNull();
    expect(elementOf("float32").copy(new Float32Array(2), 3, slab)).toBeNull();
    expect(elementOf("uint8").copy(Uint8ClampedArray.of(1, 2), 2, slab)).toEqual(Uint8Array.of(1, 2));
    expect(elementOf("bool").copy(Uint8Array.of(1, 2), 2, slab)).toBeNull();
    expect(elementOf("string").copy(["a"], 1, slab)).toBeNull();
  });
});

describe("half floats", () => {
  it.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65519.99, 0x7bff],
    [65520, 0x7c00],
    [Infinity, 0x7c00],
    [-Infinity, 0xfc00],
    [NaN, 0x7e00],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [2 ** -25 + 2 ** -40, 0x0001],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [1 + 2 ** -11 + 2 ** -40, 0x3c01],
    [2047.75 / 1024, 0x4000],
  ])("store %d as the nearest bits, with ties to even", (value, bits) => {
    expect(halfFloatBits(value)).toBe(bits);
  });

  it("keep their value when converted to bits and back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x7bff }), fc.boolean(), (size, isNegative) => {
        const exponent = size >> 10;
        const fraction = (size & 0x3ff) / 1024;
        const value = exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
        expect(halfFloatBits(isNegative ? -value : value)).toBe(isNegative ? size | 0x8000 : size);
      }),
    );
  });
});

describe("the closest name", () => {
  it.each([
    ["imgae", "image"],
    ["Image", "image"],
    ["input_id", "input_ids"],
    ["labels", null],
    ["a", null],
  ])("to %s is %s", (name, closest) => {
    expect(closestName(name, ["image", "input_ids", "b"])).toBe(closest);
  });
});

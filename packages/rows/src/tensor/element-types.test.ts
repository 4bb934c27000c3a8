import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementOf, MAX_SHARE_BYTES, Slab } from "./element-types.js";
import { halfFloatBits } from "./half-float.js";
import { closestName } from "@framebatch/batcher/errors/option-errors.js";
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

const CHUNK = 65_536;

function take(slab: Slab, byteLength = MAX_SHARE_BYTES): Uint8Array {
  return slab.array(Uint8Array, byteLength);
}

function fill(slab: Slab): Uint8Array[] {
  return Array.from({ length: CHUNK / MAX_SHARE_BYTES }, () => take(slab));
}

describe("a slab", () => {
  it("never returns the same byte twice while its snapshots are in use", () => {
    const slab = new Slab();
    const snapshots = Array.from({ length: 100 }, (_, index) => take(slab, 1000 + index));
    for (const [index, snapshot] of snapshots.entries()) snapshot.fill(index);
    for (const [index, snapshot] of snapshots.entries()) expect(new Set(snapshot)).toEqual(new Set([index]));
  });

  it("starts every snapshot at an offset that is aligned for any typed array", () => {
    const slab = new Slab();
    expect([3, 9, 8, 1].map((byteLength) => take(slab, byteLength).byteOffset)).toEqual([0, 8, 24, 32]);
  });

  it("reuses a chunk once every snapshot in it is released", () => {
    const slab = new Slab();
    const full = fill(slab);
    const next = take(slab);
    expect(next.buffer).not.toBe(full[0]!.buffer);
    slab.release(full);
    const others = fill(slab);
    expect(others.at(-1)!.buffer).toBe(full[0]!.buffer);
  });

  it("does not reuse a chunk while one snapshot in it is in use", () => {
    const slab = new Slab();
    const [kept, ...rest] = fill(slab);
    slab.release(rest);
    const later = [...fill(slab), ...fill(slab)];
    expect(later.filter(({ buffer }) => buffer === kept!.buffer)).toEqual([]);
  });

  it("restarts at the beginning of its current chunk as soon as that is empty", () => {
    const slab = new Slab();
    slab.release([take(slab), take(slab)]);
    expect(take(slab, 8).byteOffset).toBe(0);
  });

  it("keeps a few chunks for later use, and frees the others", () => {
    const slab = new Slab();
    const chunks = Array.from({ length: 8 }, () => fill(slab));
    for (const chunk of chunks) slab.release(chunk);
    const known = new Set(chunks.map(([first]) => first!.buffer));
    const again = Array.from({ length: 8 }, () => fill(slab)[0]!.buffer);
    expect(again.filter((buffer) => known.has(buffer))).toHaveLength(5);
  });

  it("ignores memory that it does not own, string arrays, and null", () => {
    const slab = new Slab();
    take(slab, 8);
    slab.release([null, ["text"], new Uint8Array(8)]);
    expect(take(slab, 8).byteOffset).toBe(8);
  });
});

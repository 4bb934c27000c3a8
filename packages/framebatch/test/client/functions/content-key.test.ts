import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentKeyOf } from "../../../src/client/functions/content-key.js";

function cyclic(): object {
  const item: { self?: unknown } = {};
  item.self = item;
  return item;
}

const PRIMITIVES = [undefined, null, true, false, "true", "null", "", "1", "1;", 0, -0, 1, 1n, Number.NaN, Infinity];
const ARRAYS = [[], [[]], [undefined], [null], [Number.NaN], [1, 2], [[1], 2], [1, [2]], ["1", 2], ["1,2"]];
const BYTES = [new ArrayBuffer(2), new ArrayBuffer(4), new Uint8Array(2), new Int8Array(2), new Uint16Array(1)];
const FLOATS = [[0], [-0], [Number.NaN], [0, 1], [-0, 1]].map((numbers) => Float32Array.from(numbers));
const OBJECTS = [
  {},
  { a: 1 },
  { a: undefined },
  { a: null },
  { a: "1" },
  { b: 1 },
  { a: { b: 1 } },
  { a: 1, b: 2 },
  { b: 2, a: 1 },
  { 0: 1, length: 1 },
];

/** Alike to a careless reader, but no two of them the same. */
const DISTINCT: readonly unknown[] = [...PRIMITIVES, ...ARRAYS, ...BYTES, ...FLOATS, ...OBJECTS];

class Point {
  readonly x = 1;
}

/** With one element, at index 1. */
function withHole(more: object = {}): object {
  const array: number[] = [];
  array[1] = 1;
  return Object.assign(array, more);
}

describe("the default key of an item", () => {
  it("tells all items apart that differ", () => {
    const keys = [...DISTINCT, Object.create(null)].map(contentKeyOf);
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(DISTINCT.length + 1);
  });

  it("is the same for items with the same content, wherever their bytes lie", () => {
    for (const item of DISTINCT) expect(contentKeyOf(structuredClone(item))).toBe(contentKeyOf(item));
    const odd = new Uint8Array([9, 1, 2, 3]).subarray(1);
    expect(contentKeyOf(odd)).toBe(contentKeyOf(new Uint8Array([1, 2, 3])));
  });

  it.each([
    ["a Map", new Map()],
    ["a Set within an array", [new Set([1])]],
    ["a Blob", new Blob(["a"])],
    ["a Date", new Date(0)],
    ["a function", () => 1],
    ["a symbol", Symbol.iterator],
    ["an instance of a class", new Point()],
    ["an array of a class of its own", new (class extends Array<number> {})()],
    ["a typed array of a class of its own", new (class extends Float32Array {})(1)],
    ["a typed array with more hung on it", Object.assign(new Float32Array(1), { dims: [1] })],
    ["an array with more hung on it", Object.assign([1], { dims: [1] })],
    ["an array with a hole", withHole()],
    ["an array with a hole and a property", withHole({ dims: [1] })],
    ["a DataView", new DataView(new ArrayBuffer(1))],
    ["an object with a symbol", { [Symbol.iterator]: 1 }],
    ["an object with a getter", Object.defineProperty({}, "a", { enumerable: true, get: Math.random })],
    ["an object with a hidden property", Object.defineProperty({}, "a", { value: 1 })],
    ["an object that contains itself", cyclic()],
  ])("is none for %s", (_, item) => {
    expect(contentKeyOf(item)).toBeUndefined();
    expect(contentKeyOf({ item })).toBeUndefined();
  });

  it("is equal exactly where the contents are", () => {
    const item = fc.anything({ withBigInt: true, withTypedArray: true, withNullPrototype: true, maxDepth: 3 });
    fc.assert(
      fc.property(item, item, (a, b) => {
        const [keyOfA, keyOfB] = [contentKeyOf(a), contentKeyOf(b)];
        // `isDeepStrictEqual` does not look at the order of names, which the key does.
        return keyOfA === undefined || keyOfA !== keyOfB || isDeepStrictEqual(a, b);
      }),
    );
  });
});

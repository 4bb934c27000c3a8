import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentKeys } from "./content-keys.js";

function cyclic(...names: string[]): object {
  const item: Record<string, unknown> = {};
  for (const name of names) item[name] = item;
  return item;
}

/** Contains one object 2 ** depth times. */
function repeated(depth: number): object {
  const item = depth === 0 ? {} : repeated(depth - 1);
  return [item, item];
}

const contentKeyOf = contentKeys();

const LARGE = new Uint8Array(100_000);

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

/** Items that look alike, although no two of them are equal. */
const DISTINCT: readonly unknown[] = [...PRIMITIVES, ...ARRAYS, ...BYTES, ...FLOATS, ...OBJECTS];

class Point {
  readonly x = 1;
}

/** An array of length 2 with an element only at index 1. */
function withHole(more: object = {}): object {
  const array: number[] = [];
  array[1] = 1;
  return Object.assign(array, more);
}

describe("the default content key of an item", () => {
  it("differs for items that differ", () => {
    const keys = [...DISTINCT, Object.create(null)].map(contentKeyOf);
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(DISTINCT.length + 1);
  });

  it("is the same for items with the same content, wherever their bytes are stored", () => {
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
    ["an instance of an Array subclass", new (class extends Array<number> {})()],
    ["an instance of a typed array subclass", new (class extends Float32Array {})(1)],
    ["a typed array with an extra property", Object.assign(new Float32Array(1), { dims: [1] })],
    ["an array with an extra property", Object.assign([1], { dims: [1] })],
    ["an array with a hole", withHole()],
    ["an array with a hole and a property", withHole({ dims: [1] })],
    ["a DataView", new DataView(new ArrayBuffer(1))],
    ["an object with a symbol", { [Symbol.iterator]: 1 }],
    ["an object with a getter", Object.defineProperty({}, "a", { enumerable: true, get: Math.random })],
    ["an object with a hidden property", Object.defineProperty({}, "a", { value: 1 })],
    ["an object that contains itself", cyclic("self")],
    ["an object that contains itself twice", cyclic("self", "too")],
  ])("is undefined for %s", (_, item) => {
    expect(contentKeyOf(item)).toBeUndefined();
    expect(contentKeyOf({ item })).toBeUndefined();
  });

  // defect C21
  it("reads an object once, however often an item contains it", () => {
    let reads = 0;
    const handler: ProxyHandler<number[]> = {
      getOwnPropertyDescriptor(target, name) {
        reads += 1;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    };
    let item: unknown = new Proxy([1], handler);
    for (let depth = 0; depth < 8; depth++) item = [item, item, { item }];
    expect(contentKeyOf(item)).toBeDefined();
    expect(reads).toBe(1);
  });

  it.each([
    ["large bytes", LARGE],
    ["a long text", "a text ".repeat(1000)],
    ["a long list", Array.from({ length: 10_000 }, (_, index) => index)],
    ["an item that contains an object a billion times", repeated(30)],
    ["an item that contains large bytes very often", Array.from({ length: 100 }, () => LARGE)],
  ])("is short for %s", (_, item) => {
    expect(contentKeyOf(item)?.length).toBeLessThanOrEqual(64);
    expect(contentKeyOf([item])?.length).toBeLessThanOrEqual(64);
  });

  // defect C21
  it("is the same whether equal parts of an item are one object or several", () => {
    const part = { a: [1, "#0;"], bytes: new Uint8Array([1, 2]) };
    const item = [part, [part, part], { part }];
    const copy = () => structuredClone(part);
    expect(contentKeyOf(item)).toBe(contentKeyOf([copy(), [copy(), copy()], { part: copy() }]));
    expect(contentKeyOf([part, part])).not.toBe(contentKeyOf([part]));
    expect(contentKeyOf([part, { ...part, a: [1] }])).not.toBe(contentKeyOf([part, part]));
  });

  it("is equal only if the contents are equal", () => {
    const item = fc.anything({ withBigInt: true, withTypedArray: true, withNullPrototype: true, maxDepth: 3 });
    fc.assert(
      fc.property(item, item, (a, b) => {
        const [keyOfA, keyOfB] = [contentKeyOf(a), contentKeyOf(b)];
        // `isDeepStrictEqual` ignores the order of property names, but the key depends on it.
        return keyOfA === undefined || keyOfA !== keyOfB || isDeepStrictEqual(a, b);
      }),
    );
  });
});

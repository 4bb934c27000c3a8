import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Collator } from "./collator.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { resolveSignature } from "../model/batch-axis.js";
import type { TensorMetadata } from "../model/signature.js";
import { type PaddingByInput, planPadding } from "../padding/plan.js";
import { ContentDigest } from "@framebatch/batcher/queue/content-digest.js";
import { rowKeys } from "./prepared-item.js";

function collatorFor(inputs: Record<string, [type: string, ...shape: (string | number)[]]>, padding?: PaddingByInput) {
  const metadata: TensorMetadata[] = Object.entries(inputs).map(([name, [type, ...shape]]) => ({ name, type, shape }));
  const signature = resolveSignature(metadata, [{ name: "out", type: "float32", shape: ["batch", 1] }]);
  return new Collator(signature, planPadding(signature, padding));
}

const image = collatorFor({ image: ["float32", "batch", 1, 2, 2] });
const pair = collatorFor({ image: ["float32", "batch", 4], mask: ["bool", "batch", 4] });
const text = collatorFor(
  { ids: ["int64", "batch", "seq"], mask: ["int64", "batch", "seq"] },
  { ids: { mask: "mask", buckets: [4, 8] } },
);
const words = collatorFor({ words: ["string", "batch", "n"] });
const contentKey = rowKeys(new ContentDigest(Int32Array.of(1, 2, 3, 4)));
const grid = collatorFor({ grid: ["float32", "batch", "height", "width"] });
const recurrent = collatorFor({ audio: ["float32", "batch", 4], sr: ["int64"] });

function detached(): Float32Array {
  const array = new Float32Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

describe("an item that is moved", () => {
  const move = (buffer: ArrayBuffer) => structuredClone(buffer, { transfer: [buffer] });
  const GONE = /"mask": expected .*, got one whose buffer was transferred away \(detached Uint8Array\)/;

  it("is refused, and loses nothing, if one of its arrays was given away before it is taken", () => {
    const [pixels, mask] = [Float32Array.of(1, 2, 3, 4), Uint8Array.of(1, 1, 0, 0)];
    const first = pair.admit({ image: [0, 0, 0, 0], mask }, move);
    const second = pair.admit({ image: pixels, mask }, move);
    first.take?.();
    expect(first.data[1]).toEqual(Uint8Array.of(1, 1, 0, 0));
    for (let times = 0; times < 2; times++) expect(() => second.take?.()).toThrow(GONE);
    expect([...pixels]).toEqual([1, 2, 3, 4]);
  });

  it("is taken once", () => {
    const item = image.admit(Float32Array.of(1, 2, 3, 4), move);
    item.take?.();
    item.take?.();
    expect(item.data).toEqual([Float32Array.of(1, 2, 3, 4)]);
  });
});

describe("admission", () => {
  it("accepts every form of a tensor", () => {
    const expected = new Float32Array([1, 2, 3, 4]);
    const forms: unknown[] = [
      expected,
      [1, 2, 3, 4],
      { data: expected },
      { data: [1, 2, 3, 4], dims: [1, 2, 2], type: "float32" },
      { image: expected },
      { image: { data: expected, dims: [1, 2, 2] } },
      { image: expected, other: undefined },
      new Proxy({ image: expected }, {}),
    ];
    for (const form of forms) expect(image.admit(form).data).toEqual([expected]);
  });

  it("accepts a single tensor if all other inputs can be generated", () => {
    expect(text.admit([1, 2, 3])).toEqual({
      shape: { group: "", extents: [4], ownExtents: [3] },
      data: [BigInt64Array.of(1n, 2n, 3n), null],
      sizes: [3],
    });
  });

  it("reads an array alone as it reads the same array in a record", () => {
    const frame = collatorFor({ image: ["uint8", "batch", 4] });
    const flags = collatorFor({ image: ["bool", "batch", 4] });
    const arrays = [
      Float32Array.of(1, NaN, -0, 4),
      Float32Array.of(1, 2),
      Float64Array.of(1, 2, 3, 4),
      Uint8Array.of(1, 0, 1, 0),
      Uint8Array.of(1, 0, 2, 0),
      Uint8ClampedArray.of(1, 2, 3, 255),
      detached(),
      new DataView(new ArrayBuffer(4)),
    ];
    const outcome = (read: () => unknown) => {
      try {
        return read();
      } catch (error) {
        return error instanceof FramebatchError && [error.code, error.message];
      }
    };
    for (const collator of [image, frame, flags])
      for (const array of arrays)
        expect(outcome(() => collator.admit(array))).toEqual(outcome(() => collator.admit({ image: array })));
  });

  it("accepts an input that is itself named data", () => {
    const collator = collatorFor({ data: ["float32", "batch", 2] });
    for (const item of [[1, 2], { data: [1, 2] }, { data: [1, 2], dims: [2] }, { data: { data: [1, 2], dims: [2] } }]) {
      expect(collator.admit(item).data).toEqual([Float32Array.of(1, 2)]);
    }
  });

  it("computes dims if only one is dynamic", () => {
    const collator = collatorFor({ points: ["float32", "batch", "count", 3] });
    expect(collator.admit(new Float32Array(12)).sizes).toEqual([4]);
  });

  it("copies, so that later changes or a transfer of the array have no effect", () => {
    const array = Float32Array.of(1, 2, 3, 4);
    const row = image.admit(array);
    array.fill(9);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    expect(row.data).toEqual([Float32Array.of(1, 2, 3, 4)]);
  });

  it("copies subclasses whose slice would share memory", () => {
    const bytes = collatorFor({ bytes: ["uint8", "batch", 3] });
    const buffer = Buffer.from([1, 2, 3]);
    const row = bytes.admit(buffer);
    buffer.fill(9);
    expect(row.data).toEqual([Uint8Array.of(1, 2, 3)]);
  });

  it("keeps large and small snapshots separate", () => {
    const collator = collatorFor({ x: ["float32", "batch", "n"] });
    const sizes = [1, 3, 2049, 700, 5000, 2, 2048, 1];
    const rows = sizes.map((size, index) => collator.admit(new Float32Array(size).fill(index)));
    expect(rows.map(({ data }) => data[0])).toEqual(sizes.map((size, index) => new Float32Array(size).fill(index)));
  });

  it("reads each property once", () => {
    const reads: string[] = [];
    const counting = (target: object) =>
      new Proxy(target, {
        get(object, property) {
          reads.push(String(property));
          const value: unknown = Reflect.get(object, property);
          return value;
        },
      });
    image.admit(counting({ image: counting({ data: [1, 2, 3, 4], dims: [1, 2, 2] }) }));
    expect(new Set(reads).size).toBe(reads.length);
  });

  it("shares one shape between items if no dimension varies", () => {
    expect(image.admit([1, 2, 3, 4]).shape).toBe(image.admit([5, 6, 7, 8]).shape);
  });

  it("puts items of different sizes into different groups unless they are padded", () => {
    const shapeOf = (dims: number[]) => grid.admit({ data: new Float32Array(6), dims }).shape;
    expect([shapeOf([2, 3]), shapeOf([3, 2])]).toEqual([
      { group: "2x3", extents: [2, 3] },
      { group: "3x2", extents: [3, 2] },
    ]);
  });

  it("puts items with different shared values into different groups", () => {
    const groupOf = (rate: number) => recurrent.admit({ audio: [1, 2, 3, 4], sr: [rate] }).shape.group;
    expect(groupOf(8000)).toBe(groupOf(8000));
    expect(groupOf(8000)).not.toBe(groupOf(16000));
  });

  it("accepts numbers that are not finite", () => {
    expect(image.admit([NaN, Infinity, -Infinity, -0]).data).toEqual([Float32Array.of(NaN, Infinity, -Infinity, -0)]);
  });
});

const throwing = {
  get image(): never {
    throw new RangeError("no image yet");
  },
};

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Each entry: the expected message, the collator, and the item that it rejects. */
const refusals: [sentence: string, collator: Collator, item: unknown][] = [
  ['item: expected an object of inputs by name, got undefined; write { "image": … }', image, undefined],
  ['item: expected an object of inputs by name, got string "cat"; write { "image": … }', image, "cat"],
  [
    'item: expected an object of inputs by name, got Float32Array(4); write { "image": …, "mask": … }',
    pair,
    new Float32Array(4),
  ],
  ['input "image": expected float32 [1, 2, 2], got nothing; add it to the item', image, {}],
  [
    'input "image": expected float32 [1, 2, 2], got nothing; the item has "imgae": did you mean "image"?',
    image,
    { imgae: [1] },
  ],
  ['input "mask": expected bool [4], got nothing; add it to the item', pair, { image: [1, 2, 3, 4] }],
  [
    'input "label": expected only inputs of the model ("image"), got an unknown one; remove it',
    image,
    { image: [1, 2, 3, 4], label: [1] },
  ],
  [
    'input "image": expected a tensor (float32 [1, 2, 2]), got null; pass a typed array, an array, or { data, dims }',
    image,
    { image: null },
  ],
  [
    'input "image": expected a tensor (float32 [1, 2, 2]), got number 5; pass a typed array, an array, or { data, dims }',
    image,
    { image: 5 },
  ],
  [
    'input "image": expected a tensor (float32 [1, 2, 2]), got a Promise; pass a typed array, an array, or { data, dims }',
    image,
    { image: Promise.resolve() },
  ],
  [
    'input "image": expected a tensor (float32 [1, 2, 2]), got an object with the keys "0", "1"; pass a typed array, an array, or { data, dims }',
    image,
    { image: { 0: 1, 1: 2 } },
  ],
  [
    'input "image": expected a tensor (float32 [1, 2, 2]), got an ArrayBuffer; view it as new Float32Array(buffer)',
    image,
    { image: new ArrayBuffer(16) },
  ],
  [
    'input "image": expected Float32Array or an array (float32), got Float64Array(4); convert it: Float32Array.from(data, Number)',
    image,
    new Float64Array(4),
  ],
  [
    'input "ids": expected BigInt64Array or an array (int64), got Int32Array(4); convert it: BigInt64Array.from(data, BigInt)',
    text,
    new Int32Array(4),
  ],
  [
    'input "image": expected type float32, got float64; convert the data, and leave type out or set it to match',
    image,
    { data: [1, 2, 3, 4], type: "float64" },
  ],
  ['input "image": expected 4 elements for dims [1, 2, 2], got 3; pass as many as the dims ask for', image, [1, 2, 3]],
  [
    'input "image": expected 4 elements for dims [1, 2, 2], got 12; this looks like 3 items: pass one at a time, or use predictMany',
    image,
    new Float32Array(12),
  ],
  [
    'input "image": expected dims [1, 2, 2], got [2, 2]; pass dims that fit the model',
    image,
    { data: [1, 2, 3, 4], dims: [2, 2] },
  ],
  [
    'input "image": expected dims [1, 2, 2], got [1, 1, 2, 2]; leave out the batch axis: dims are the item\'s own',
    image,
    { data: [1, 2, 3, 4], dims: [1, 1, 2, 2] },
  ],
  [
    'input "image": expected dims [1, 2, 2], got [1, 4, 1]; pass dims that fit the model',
    image,
    { data: [1, 2, 3, 4], dims: [1, 4, 1] },
  ],
  [
    'input "image": expected dims [1, 2, 2], got string "2x2"; pass dims that fit the model',
    image,
    { data: [1, 2, 3, 4], dims: "2x2" },
  ],
  [
    'input "grid": expected dims [height, width], got [-2, -2]; pass dims that fit the model',
    grid,
    { data: [1, 2, 3, 4], dims: [-2, -2] },
  ],
  [
    'input "grid": expected 6 elements for dims [2, 3], got 4; pass as many as the dims ask for',
    grid,
    { data: [1, 2, 3, 4], dims: [2, 3] },
  ],
  [
    'input "grid": expected dims, as [height, width] is dynamic in several places, got only elements; pass { data, dims }',
    grid,
    [1, 2, 3, 4],
  ],
  [
    'input "image": expected numbers (float32), got undefined at index 1; convert it first',
    image,
    [1, undefined, 3, 4],
  ],
  [
    'input "image": expected numbers (float32), got Array(2) at index 0; flatten the array: array.flat(Infinity)',
    image,
    [[1, 2], [3, 4], [], []],
  ],
  [
    'input "ids": expected bigints from -9223372036854775808 to 9223372036854775807, or safe integers (int64), got number 0.5 at index 1; convert it first',
    text,
    [1, 0.5],
  ],
  [
    'input "ids": expected bigints from -9223372036854775808 to 9223372036854775807, or safe integers (int64), got number 9007199254740992 at index 0; convert it first',
    text,
    [2 ** 53],
  ],
  [
    'input "mask": expected true and false, or 1 and 0 (bool), got number 2 at index 3; convert it first',
    pair,
    { image: [1, 2, 3, 4], mask: Uint8Array.of(1, 0, 1, 2) },
  ],
  [
    'input "words": expected strings without U+0000, where ONNX Runtime would end them, got one at character 1 of the string at index 0; remove it',
    words,
    { words: ["b\0c", ""] },
  ],
  [
    'input "words": expected whole characters, got half of one (U+D83D) at character 3 of the string at index 1; cut strings between characters, as Array.from(text).slice(0, n).join("") does, or pass text.toWellFormed()',
    words,
    { words: ["😀", "caf\ud83dé"] },
  ],
  [
    'input "words": expected whole characters, got half of one (U+DE00) at character 0 of the string at index 0; cut strings between characters, as Array.from(text).slice(0, n).join("") does, or pass text.toWellFormed()',
    words,
    ["\ude00日本"],
  ],
  [
    'input "image": expected float32 [1, 2, 2], got one whose buffer was transferred away (detached Float32Array); predict before the transfer, or transfer a copy',
    image,
    detached(),
  ],
  [
    'input "mask": expected size 3 for "seq", as in input "ids", got 2; give both the same size, or export the model with two names if the sizes may differ',
    text,
    { ids: [1, 2, 3], mask: [1, 1] },
  ],
  [
    'input "ids": expected at most 8 for "seq", got 9; shorten the item, or add a larger bucket to padding',
    text,
    new BigInt64Array(9),
  ],
  [
    "item: expected inputs that can be read, got an error while reading them: no image yet; see its cause",
    image,
    throwing,
  ],
  [
    "item: expected inputs that can be read, got an error while reading them: Cannot perform 'IsArray' on a proxy that has been revoked; see its cause",
    image,
    revoked.proxy,
  ],
];

describe("an item that does not fit is rejected", () => {
  it.each(refusals)("%s", (message, collator, item) => {
    expect(() => collator.admit(item)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }));
  });

  it("with the input's name in the error's details", () => {
    const run = () => image.admit([1]);
    expect(run).toThrow(expect.objectContaining({ details: { input: "image" } }));
  });

  it("with the error of a getter as its cause", () => {
    const run = () => image.admit(throwing);
    expect(run).toThrow(expect.objectContaining({ cause: expect.any(RangeError) }));
  });

  it("with INVALID_INPUT, whatever the item is", () => {
    fc.assert(
      fc.property(fc.anything({ withTypedArray: true, withMap: true, withNullPrototype: true }), (item) => {
        for (const collator of [image, pair, text, grid, recurrent]) {
          for (const given of [item, { image: item, mask: item, ids: item, audio: item, sr: [1] }]) {
            try {
              collator.admit(given);
            } catch (error) {
              expect(error).toBeInstanceOf(FramebatchError);
              expect(error).toHaveProperty("code", "INVALID_INPUT");
              expect(error).not.toHaveProperty("cause");
            }
          }
        }
      }),
    );
  });
});

describe("a content key", () => {
  it("is equal exactly if all elements are equal", () => {
    const collator = collatorFor({ bytes: ["uint8", "batch", "n"], words: ["string", "batch", "m"] });
    const item = fc.record({
      bytes: fc.uint8Array({ maxLength: 5, max: 2 }),
      words: fc.array(fc.constantFrom("", "a", '"'), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(item, item, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(contentKey(collator.admit(one)) === contentKey(collator.admit(other))).toBe(isSame);
      }),
    );
  });

  it("compares bits, not values", () => {
    const keyOf = (value: number) => contentKey(image.admit([value, 0, 0, 0]));
    expect(keyOf(0)).not.toBe(keyOf(-0));
    expect(keyOf(NaN)).toBe(keyOf(NaN));
  });

  it("stays short, however large the row is: the result cache keeps it", () => {
    const collator = collatorFor({ x: ["float32", "batch", "n"], words: ["string", "batch", "m"] });
    const row = collator.admit({ x: new Float32Array(150_528), words: Array.from({ length: 1000 }, () => "a text") });
    expect(contentKey(row).length).toBeLessThan(64);
  });

  it("covers tensors larger than the maximum number of call arguments", () => {
    const collator = collatorFor({ x: ["float32", "batch", 10000] });
    const item = new Float32Array(10000);
    const before = contentKey(collator.admit(item));
    item[9999] = 1;
    expect(contentKey(collator.admit(item))).not.toBe(before);
  });
});

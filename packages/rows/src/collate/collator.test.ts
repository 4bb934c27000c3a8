import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Collator } from "./collator.js";
import type { ModelSignature } from "../model/signature.js";
import { type PaddingByInput, planPadding } from "../padding/padding-plan.js";
import type { PreparedItem } from "./prepared-item.js";
import { elementOf } from "../tensor/element-types.js";
import type { Tensor, TensorElements, TensorInfo, TensorType } from "../tensor/tensor.js";

function info(name: string, type: TensorType, batchAxis: number | null, ...shape: (string | number)[]): TensorInfo {
  const dims = shape.map((size) => (typeof size === "number" ? size : null));
  return { name, type, dims, symbols: shape.map((size) => (typeof size === "string" ? size : null)), batchAxis };
}

function collatorFor(inputs: TensorInfo[], outputs: TensorInfo[], padding?: PaddingByInput): Collator {
  const signature: ModelSignature = { inputs, outputs, fixedBatch: null };
  return new Collator(signature, planPadding(signature, padding));
}

/** The extents that a batcher requests: the maximum of each. */
function extentsOf(rows: readonly PreparedItem[]): number[] {
  const [first] = rows;
  return (first?.shape.extents ?? []).map((_, index) =>
    Math.max(...rows.map(({ shape }) => shape.extents[index] ?? 0)),
  );
}

function elements(tensor: Tensor | undefined): unknown[] {
  return Array.from<unknown>(tensor?.data ?? []);
}

const rename = (tensor: Tensor | undefined, name: string) => (tensor === undefined ? {} : { [name]: tensor });

describe("stacking", () => {
  const text = collatorFor(
    [info("ids", "int32", 0, "batch", "seq"), info("mask", "bool", 0, "batch", "seq")],
    [info("out", "float32", 0, "batch", "seq")],
    { ids: { value: 7, mask: "mask" } },
  );

  it("pads on the right to the longest item, and fills the mask", () => {
    const rows = [[1, 2], [3], [4, 5, 6]].map((ids) => text.admit(ids));
    expect(text.stack(rows, 3, [3])).toEqual({
      ids: { type: "int32", dims: [3, 3], data: Int32Array.of(1, 2, 7, 3, 7, 7, 4, 5, 6) },
      mask: { type: "bool", dims: [3, 3], data: Uint8Array.of(1, 1, 0, 1, 0, 0, 1, 1, 1) },
    });
  });

  it("keeps a mask from the caller, and pads it with zeros", () => {
    const rows = [text.admit({ ids: [1, 2], mask: [true, false] }), text.admit([3, 4, 5])];
    expect(text.stack(rows, 2, [4])["mask"]?.data).toEqual(Uint8Array.of(1, 0, 0, 0, 1, 1, 1, 0));
  });

  it("pads on the left if configured, and pads a mask with other dimension names in the same way", () => {
    const left = collatorFor(
      [info("ids", "int64", 0, "batch", "seq"), info("mask", "float32", 0, "batch", "mask_seq")],
      [info("out", "float32", 0, "batch", "seq")],
      { ids: { side: "left", mask: "mask", buckets: [3] } },
    );
    const feeds = left.stack([left.admit([1, 2])], 1, [3]);
    expect([elements(feeds["ids"]), elements(feeds["mask"])]).toEqual([
      [0n, 1n, 2n],
      [0, 1, 1],
    ]);
  });

  it("pads several dimensions at once", () => {
    const pixels = collatorFor(
      [info("image", "uint8", 0, "batch", "height", "width")],
      [info("out", "uint8", 0, "batch", "height", "width")],
      { image: { value: 9 } },
    );
    const rows = [pixels.admit({ data: [1, 2, 3, 4], dims: [2, 2] }), pixels.admit({ data: [5, 6, 7], dims: [1, 3] })];
    expect(pixels.stack(rows, 2, [2, 3])["image"]?.data).toEqual(Uint8Array.of(1, 2, 9, 3, 4, 9, 5, 6, 7, 9, 9, 9));
  });

  it("repeats the last row to reach a padded batch size", () => {
    const rows = [[1, 2], [3]].map((ids) => text.admit(ids));
    expect(elements(text.stack(rows, 4, [2])["ids"])).toEqual([1, 2, 3, 7, 3, 7, 3, 7]);
  });

  it("sends a shared input once", () => {
    const recurrent = collatorFor(
      [info("audio", "float32", 0, "batch", 2), info("sr", "int64", null)],
      [info("out", "float32", 0, "batch", 2)],
    );
    const rows = [1, 2].map((value) => recurrent.admit({ audio: [value, value], sr: [8000] }));
    expect(recurrent.stack(rows, 2, [])["sr"]).toEqual({ type: "int64", dims: [], data: BigInt64Array.of(8000n) });
  });

  it("places rows along an inner batch axis", () => {
    const recurrent = collatorFor(
      [info("state", "float32", 1, 2, "batch", 2)],
      [info("out", "float32", 1, 2, "batch", 2)],
    );
    const rows = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ].map((state) => recurrent.admit(state));
    expect(recurrent.stack(rows, 2, [])["state"]).toEqual({
      type: "float32",
      dims: [2, 2, 2],
      data: Float32Array.of(1, 2, 5, 6, 3, 4, 7, 8),
    });
  });

  it("allocates new memory each time, so that feeds may be transferred", () => {
    const rows = [text.admit([1, 2])];
    const first = text.stack(rows, 1, [2]);
    const buffers = Object.values(first).map(({ data }) => ("buffer" in data ? data.buffer : null));
    structuredClone(first, { transfer: buffers.filter((buffer) => buffer instanceof ArrayBuffer) });
    expect(elements(text.stack(rows, 1, [2])["ids"])).toEqual([1, 2]);
  });
});

describe("splitting", () => {
  const plain = collatorFor([info("x", "float32", 0, "batch", 1)], [info("y", "float32", 0, "batch", 2)]);
  const rows = [1, 2].map((value) => plain.admit([value]));
  const y = (dims: number[], ...data: number[]): Record<string, Tensor> => ({
    y: { type: "float32", dims, data: Float32Array.from(data) },
  });

  it("returns each row in its own memory, and drops padded rows", () => {
    const outputs = y([3, 2], 1, 2, 3, 4, 5, 6);
    const results = plain.split(rows, outputs, 3, []);
    expect(results).toEqual([y([2], 1, 2), y([2], 3, 4)]);
    for (const { y: tensor } of results) {
      const data = tensor?.data;
      expect(data !== undefined && "buffer" in data && data.buffer.byteLength === data.byteLength).toBe(true);
    }
  });

  it("removes padding from the side that it was added to, on any axis", () => {
    const collator = collatorFor(
      [info("ids", "int32", 0, "batch", "seq")],
      [info("out", "float32", 1, "seq", "batch", "seq")],
      { ids: { side: "left" } },
    );
    const short = [collator.admit([1]), collator.admit([1, 2])];
    const out: Tensor = { type: "float32", dims: [2, 2, 2], data: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7) };
    expect(collator.split(short, { out }, 2, [2])).toEqual([
      { out: { type: "float32", dims: [1, 1], data: Float32Array.of(5) } },
      { out: { type: "float32", dims: [2, 2], data: Float32Array.of(2, 3, 6, 7) } },
    ]);
  });

  /**
   * The remaining elements of an output of 2 rows, for items of sizes 1 and 3 padded to 3, if its second axis has this
   * name.
   */
  const cut = (name: string, side: "left" | "right", length: number) => {
    const collator = collatorFor([info("x", "float32", 0, "batch", "n")], [info("y", "float32", 0, "batch", name)], {
      x: { side },
    });
    const padded = [collator.admit([1]), collator.admit([1, 2, 3])];
    const data = Array.from({ length: 2 * length }, (_, index) => index);
    return collator.split(padded, y([2, length], ...data), 2, [3]).map((result) => elements(result["y"]));
  };

  it("cuts sizes that are computed from a padded size", () => {
    expect(cut("n + 2", "right", 5)).toEqual([
      [0, 1, 2],
      [5, 6, 7, 8, 9],
    ]);
    expect(cut("2*n", "left", 6)).toEqual([
      [4, 5],
      [6, 7, 8, 9, 10, 11],
    ]);
    expect(cut("(n - 1)//2 + 1", "right", 2)).toEqual([[0], [2, 3]]);
    expect(cut("ceil(n/2) + max(n, 2)", "right", 5)).toEqual([
      [0, 1, 2],
      [5, 6, 7, 8, 9],
    ]);
    expect(cut("n / 2", "right", 1)).toEqual([[], [1]]);
    expect(cut("5 - n", "right", 2)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it.each(["unk__12", "n + unknown", "n-gram size", "floor(n", "", "batch", "2"])(
    "does not cut a size whose name does not determine it: %s",
    (name) =>
      expect(cut(name, "right", 3)).toEqual([
        [0, 1, 2],
        [3, 4, 5],
      ]),
  );

  it("gives every item a copy of an output that the batch shares", () => {
    const collator = collatorFor([info("x", "float32", 0, "batch", 1)], [info("y", "float32", null, 2)]);
    const results = collator.split(rows, y([2], 1, 2), 2, []);
    expect(results).toEqual([y([2], 1, 2), y([2], 1, 2)]);
    expect(results[0]?.["y"]?.data).not.toBe(results[1]?.["y"]?.data);
  });

  const wrong: [sentence: string, outputs: Record<string, Tensor>][] = [
    [
      'output "y": expected 2 rows on axis 0, got [1, 2]; say in batchAxis which axis counts the rows, or null if all items of a batch decide its size',
      y([1, 2], 1, 2),
    ],
    ['output "y": expected a tensor, got nothing; the model did not compute it', {}],
    ['output "y": expected 4 elements for dims [2, 2], got Float32Array(3); run it again', y([2, 2], 1, 2, 3)],
  ];
  it.each(wrong)("fails if an output does not fit the batch: %s", (message, outputs) => {
    expect(() => plain.split(rows, outputs, 2, [])).toThrow(
      expect.objectContaining({ code: "INFERENCE_FAILED", message, details: { output: "y" } }),
    );
  });

  it("fails if a padded size comes back as a different size", () => {
    const collator = collatorFor([info("x", "float32", 0, "batch", "n")], [info("y", "float32", 0, "batch", "n")], {
      x: {},
    });
    expect(() => collator.split([collator.admit([1])], y([1, 2], 1, 2), 1, [1])).toThrow(
      'output "y": expected size 1 for "n" on axis 1, by the sizes of the inputs, got [1, 2]; the model\'s dimension names are wrong: remove padding',
    );
  });
});

const TYPES: readonly TensorType[] = [
  "float32",
  "float64",
  "float16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
  "string",
];

/** A model that returns its input, items for it, and their padding. */
const identityCase = fc
  .record({
    type: fc.constantFrom(...TYPES),
    shape: fc.array(fc.oneof(fc.constantFrom("a", "b"), fc.integer({ min: 0, max: 3 })), { maxLength: 3 }),
    axis: fc.nat(3),
    side: fc.constantFrom("left" as const, "right" as const),
    multipleOf: fc.integer({ min: 1, max: 4 }),
    sizes: fc.array(fc.record({ a: fc.nat(5), b: fc.nat(5) }), { minLength: 1, maxLength: 5 }),
    extraRows: fc.nat(3),
  })
  .map((drawn) => ({ ...drawn, axis: Math.min(drawn.axis, drawn.shape.length) }));

function valueAt(type: TensorType, index: number): number | bigint | string {
  return elementOf(type).parse(type === "string" ? `s${index}` : type === "bool" ? index % 2 : index % 100) ?? 0;
}

describe("stacking, then splitting", () => {
  it("returns the inputs, whatever the type, dims, axis, side and padded size", () => {
    fc.assert(
      fc.property(identityCase, ({ type, shape, axis, side, multipleOf, sizes, extraRows }) => {
        const batched: (string | number)[] = [...shape.slice(0, axis), "batch", ...shape.slice(axis)];
        const isDynamic = shape.some((size) => typeof size === "string");
        const collator = collatorFor(
          [info("x", type, axis, ...batched)],
          [info("y", type, axis, ...batched)],
          isDynamic ? { x: { side, multipleOf } } : {},
        );
        const items = sizes.map(({ a, b }, position) => {
          const dims = shape.map((size) => (size === "a" ? a : size === "b" ? b : size));
          const length = dims.reduce((product, size) => product * size, 1);
          const data: TensorElements = Array.from({ length }, (_, index) => valueAt(type, position * 7 + index));
          // Half floats are raw bits here, which arrays of plain numbers are not.
          return { dims, data: type === "float16" ? Uint16Array.from(data, Number) : data };
        });
        const rows = items.map((item) => collator.admit({ x: item }));
        const paddedSize = rows.length + extraRows;
        const feeds = collator.stack(rows, paddedSize, extentsOf(rows));
        const results = collator.split(rows, rename(feeds["x"], "y"), paddedSize, extentsOf(rows));
        const seen = results.map(({ y }) => ({ dims: y?.dims, data: elements(y), type: y?.type }));
        expect(seen).toEqual(items.map(({ dims, data }) => ({ dims, data: Array.from<unknown>(data), type })));
        for (const { y } of results) {
          const data = y?.data;
          if (data !== undefined && "buffer" in data) expect(data.buffer.byteLength).toBe(data.byteLength);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("fills the mask with ones exactly where there is data", () => {
    const lengths = fc.array(fc.nat(6), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lengths, fc.constantFrom("left" as const, "right" as const), (sizes, side) => {
        const collator = collatorFor(
          [info("ids", "int32", 0, "batch", "n"), info("mask", "int32", 0, "batch", "n")],
          [info("y", "int32", 0, "batch", "n")],
          { ids: { side, mask: "mask" } },
        );
        const rows = sizes.map((size) => collator.admit(Array.from({ length: size }, () => 5)));
        const { ids, mask } = collator.stack(rows, rows.length, extentsOf(rows));
        expect(elements(mask).map((one) => Number(one) * 5)).toEqual(elements(ids));
      }),
    );
  });
});

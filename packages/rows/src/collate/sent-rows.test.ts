import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answersOf, buffersIn, isPacked, packRows, type SentRows } from "./sent-rows.js";
import { Collator } from "./collator.js";
import { planPadding } from "../padding/padding-plan.js";
import type { TensorInfo, TensorType } from "../tensor/tensor.js";

function info(name: string, type: TensorType, batchAxis: number | null, ...shape: (string | number)[]): TensorInfo {
  const dims = shape.map((size) => (typeof size === "number" ? size : null));
  return { name, type, dims, symbols: shape.map((size) => (typeof size === "string" ? size : null)), batchAxis };
}

function collatorFor(inputs: readonly TensorInfo[], padding = {}): Collator {
  const signature = { inputs, outputs: inputs, fixedBatch: null };
  return new Collator(signature, planPadding(signature, padding));
}

/** What arrives of rows at a worker. */
function arrived(collator: Collator, items: readonly unknown[]): SentRows {
  return structuredClone(
    packRows(
      collator.reader.plans,
      items.map((item) => collator.admit(item)),
    ).rows,
  );
}

const texts = collatorFor([info("ids", "int32", 0, "batch", "seq"), info("mask", "bool", 0, "batch", "seq")], {
  ids: { value: 7, mask: "mask", side: "left" },
});

describe("rows in a message", () => {
  it("are packed, input by input", () => {
    const sent = arrived(texts, [
      { ids: [1, 2], mask: [true, false] },
      { ids: [3], mask: [true] },
    ]);
    expect(sent).toEqual({ count: 2, sizes: [2, 1], columns: [Int32Array.of(1, 2, 3), Uint8Array.of(1, 0, 1)] });
  });

  it("are entries of their own if they are large, are texts, or leave a mask out", () => {
    const large = collatorFor([info("x", "float32", 0, "batch", 2 ** 14)]);
    expect(arrived(large, [new Float32Array(2 ** 14)]).columns.map(isPacked)).toEqual([false]);
    expect(arrived(collatorFor([info("x", "float32", 0, "batch", 2)]), [[1, 2]]).columns.map(isPacked)).toEqual([true]);
    expect(arrived(collatorFor([info("x", "string", 0, "batch")]), [["a"]]).columns).toEqual([[["a"]]]);
    expect(arrived(texts, [[1], { ids: [2], mask: [true] }]).columns[1]).toEqual([null, Uint8Array.of(1)]);
  });

  it("become the feeds that the rows themselves become", () => {
    const inputs = fc.array(fc.record({ axis: fc.nat(1), type: fc.constantFrom<TensorType[]>("float32", "string") }), {
      minLength: 1,
      maxLength: 2,
    });
    const lengths = fc.array(fc.nat(4), { minLength: 1, maxLength: 4 });
    const property = fc.property(inputs, lengths, fc.nat(2), (given, sizes, extra) => {
      const infos = given.map(({ axis, type }, index) =>
        info(`x${index}`, type, axis, ...(axis === 0 ? ["batch", "seq"] : ["seq", "batch"])),
      );
      const collator = collatorFor(infos, { x0: {} });
      const items = sizes.map((size, row) =>
        Object.fromEntries(
          infos.map(({ name, type }) => {
            const numbers = Array.from({ length: size }, (_, index) => 10 * row + index);
            return [name, type === "string" ? numbers.map(String) : numbers];
          }),
        ),
      );
      const [count, extents] = [items.length + extra, [Math.max(...sizes)]];
      const rows = items.map((item) => collator.admit(item));
      expect(collator.stackSent(arrived(collator, items), count, extents)).toEqual(
        collator.stack(rows, count, extents),
      );
    });
    fc.assert(property);
  });

  it("are the feeds themselves if nothing is padded", () => {
    const collator = collatorFor([info("x", "float32", 0, "batch", 2)]);
    const sent = arrived(collator, [
      [1, 2],
      [3, 4],
    ]);
    expect(collator.stackSent(sent, 2, [])["x"]?.data).toBe(sent.columns[0]);
    expect(collator.stackSent(sent, 3, [])["x"]?.data).toEqual(Float32Array.of(1, 2, 3, 4, 3, 4));
  });

  it("have an input that all rows share once, without a copy", () => {
    const collator = collatorFor([info("x", "float32", 0, "batch", 1), info("rate", "int64", null, 2)]);
    const sent = arrived(collator, [
      { x: [1], rate: [8000, 1] },
      { x: [2], rate: [8000, 1] },
    ]);
    const { rate } = collator.stackSent(sent, 2, []);
    expect(rate).toEqual({ type: "int64", dims: [2], data: BigInt64Array.of(8000n, 1n) });
    expect([rate!.data].map((data) => "buffer" in data && data.buffer)).toEqual(
      [sent.columns[1]!].map((column) => isPacked(column) && column.buffer),
    );
  });

  it("take their buffers along if these are large enough to be worth it", () => {
    const collator = collatorFor([info("x", "float32", 0, "batch", "seq"), info("rate", "int64", null)], { x: {} });
    const lengthsMoved = (length: number) => {
      const sent = arrived(collator, [{ x: new Float32Array(length), rate: [8000] }]);
      return buffersIn(sent).map(({ byteLength }) => byteLength);
    };
    expect(lengthsMoved(255)).toEqual([]);
    expect(lengthsMoved(256)).toEqual([1024]);
    expect(lengthsMoved(2 ** 14)).toEqual([2 ** 16]);
  });
});

describe("outputs in a message", () => {
  it("are refused if they are not as many as the rows", () => {
    const tensor = { type: "float32", dims: [2, 1], data: Float32Array.of(1, 2) } as const;
    const few = expect.objectContaining({ code: "INFERENCE_FAILED", message: 'output "y": expected 3 rows, got 2' });
    expect(() => answersOf({ y: tensor }, 3)).toThrow(few);
    expect(() => answersOf({ y: [tensor, tensor] }, 3)).toThrow(few);
    expect(answersOf({ y: tensor }, 2).map(({ y }) => y?.data)).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  });

  const outputOf = (width: number) => collatorFor([info("x", "float32", 0, "batch", width)]);
  const answered = (width: number, count: number, padded: number) => {
    const x = { type: "float32", dims: [padded, width], data: new Float32Array(padded * width).fill(1) } as const;
    return outputOf(width).answer({ count, sizes: [] }, { x }, padded, [])["x"];
  };

  it("stay one tensor, without the rows of padding", () => {
    expect(answered(2, 2, 3)).toEqual({ type: "float32", dims: [2, 2], data: new Float32Array(4).fill(1) });
  });

  it("are a tensor for each row if rows are large, so that the page copies none", () => {
    const row = { type: "float32", dims: [2 ** 14], data: new Float32Array(2 ** 14).fill(1) };
    expect(answered(2 ** 14, 2, 3)).toEqual([row, row]);
  });
});

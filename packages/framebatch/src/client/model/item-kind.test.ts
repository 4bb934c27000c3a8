import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { moveBuffer } from "./item-kind.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import type { MoveBuffer } from "@framebatch/rows/collate/input-snapshot.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { TensorType } from "@framebatch/rows/tensor/tensor.js";

function collatorFor(...inputs: (readonly [name: string, type: TensorType, length: number])[]): Collator {
  const metadata = inputs.map(([name, type, length]) => ({ name, type, shape: ["batch", length] }));
  const signature = resolveSignature(metadata, [{ name: "out", type: "float32", shape: ["batch", 1] }]);
  return new Collator(signature, planPadding(signature));
}

/** Admits an item that may be moved, and takes it over. */
function moved(collator: Collator, item: unknown, move: MoveBuffer): PreparedItem {
  const row = collator.admit(item, move);
  row.take?.();
  return row;
}

const floats = collatorFor(["x", "float32", 4]);
const two = collatorFor(["a", "float32", 2], ["b", "float32", 2]);

describe("an item that may be moved", () => {
  it("is moved: its array is detached, and the prepared item uses its memory", () => {
    const array = Float32Array.of(1, 2, 3, 4);
    const buffers: ArrayBuffer[] = [];
    const row = moved(floats, array, (buffer) => {
      buffers.push(moveBuffer(buffer));
      return buffers.at(-1)!;
    });
    expect([array.length, row.data]).toEqual([0, [Float32Array.of(1, 2, 3, 4)]]);
    const [data] = row.data;
    expect(buffers).toEqual([data !== null && data !== undefined && "buffer" in data ? data.buffer : null]);
  });

  it.each<
    [type: TensorType, array: Float64Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | Uint8ClampedArray]
  >([
    ["float64", Float64Array.of(1, 0)],
    ["float16", Uint16Array.of(1, 0)],
    ["int32", Int32Array.of(1, 0)],
    ["int64", BigInt64Array.of(1n, 0n)],
    ["uint8", Uint8ClampedArray.of(1, 0)],
    ["bool", Uint8Array.of(1, 0)],
  ])("may have the type %s", (type, array) => {
    const collator = collatorFor(["x", type, 2]);
    const copied = collator.admit(array).data;
    expect(moved(collator, { x: { data: array, dims: [2] } }, moveBuffer).data).toEqual(copied);
    expect(array).toHaveLength(0);
  });

  it("is moved if its array is of another realm, such as a frame", () => {
    const array: Float32Array = runInNewContext("Float32Array.of(1, 2, 3, 4)");
    expect(moved(floats, array, moveBuffer).data).toEqual([Float32Array.of(1, 2, 3, 4)]);
    expect(array).toHaveLength(0);
  });

  it("is copied if its buffer is larger or shared, or cannot be moved", () => {
    const all = Float32Array.of(0, 1, 2, 3, 4);
    const shared = new Float32Array(new SharedArrayBuffer(16));
    const immovable = Float32Array.of(1, 2, 3, 4);
    const refuse = () => {
      throw new TypeError("cannot be moved");
    };
    expect(moved(floats, all.subarray(1), moveBuffer).data).toEqual([Float32Array.of(1, 2, 3, 4)]);
    expect(moved(floats, shared, moveBuffer).data).toEqual([new Float32Array(4)]);
    const row = moved(floats, immovable, refuse);
    immovable.fill(9);
    expect(row.data).toEqual([Float32Array.of(1, 2, 3, 4)]);
    expect([all.length, shared.length]).toEqual([5, 4]);
  });

  it("is copied if two inputs are the same array", () => {
    const array = Float32Array.of(1, 2);
    const row = moved(two, { a: array, b: array }, moveBuffer);
    array.fill(9);
    expect(row.data).toEqual([Float32Array.of(1, 2), Float32Array.of(1, 2)]);
  });

  it("is converted if it has another type", () => {
    expect(moved(floats, [1, 2, 3, 4], moveBuffer).data).toEqual([Float32Array.of(1, 2, 3, 4)]);
  });

  it("keeps all its arrays if any input is rejected", () => {
    const a = Float32Array.of(1, 2);
    expect(() => moved(two, { a, b: [1] }, moveBuffer)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    expect(() => moved(two, { a, b: [1, 2], c: 5 }, moveBuffer)).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }),
    );
    expect(a).toEqual(Float32Array.of(1, 2));
  });

  it("is rejected the second time", () => {
    const array = Float32Array.of(1, 2, 3, 4);
    moved(floats, array, moveBuffer);
    expect(() => moved(floats, array, moveBuffer)).toThrow("one whose buffer was transferred away");
  });
});

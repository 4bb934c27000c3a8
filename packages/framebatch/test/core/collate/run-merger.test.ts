import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { ModelSignature } from "../../../src/core/model/signature.js";
import type { Tensor, TensorInfo, TensorType } from "../../../src/core/tensor/tensor.js";
import { RunMerger } from "../../../src/core/collate/run-merger.js";

function info(name: string, type: TensorType, batchAxis: number | null): TensorInfo {
  return { name, type, dims: [null, null], symbols: [null, null], batchAxis };
}

function signatureOf(inputs: TensorInfo[], outputs: TensorInfo[] = inputs, fixedBatch: number | null = null) {
  return { inputs, outputs, fixedBatch } satisfies ModelSignature;
}

function mergerOf(...tensors: TensorInfo[]): RunMerger {
  return RunMerger.for(signatureOf(tensors))!;
}

const floats = (dims: readonly number[], ...data: number[]): Tensor => ({
  type: "float32",
  dims,
  data: Float32Array.from(data),
});

describe("merging runs", () => {
  it("joins rows on the batch axis of each input, and splits outputs by run", () => {
    const merger = mergerOf(info("x", "float32", 0), info("y", "float32", 1));
    const first = { x: floats([1, 2], 1, 2), y: floats([2, 1], 3, 4) };
    const second = { x: floats([2, 2], 5, 6, 7, 8), y: floats([2, 2], 9, 10, 11, 12) };
    const merged = merger.merge([first, second]);
    expect(merged).toEqual({
      x: floats([3, 2], 1, 2, 5, 6, 7, 8),
      y: floats([2, 3], 3, 9, 10, 4, 11, 12),
    });
    expect(merger.split(merged, [1, 2])).toEqual([first, second]);
  });

  it("joins int64 and strings", () => {
    const merger = mergerOf(info("ids", "int64", 0), info("texts", "string", 0));
    const runOf = (ids: bigint[], texts: string[]): Record<string, Tensor> => ({
      ids: { type: "int64", dims: [ids.length], data: BigInt64Array.from(ids) },
      texts: { type: "string", dims: [texts.length], data: texts },
    });
    const runs = [runOf([1n], ["a"]), runOf([2n, 3n], ["b", ""])];
    expect(merger.merge(runs)).toEqual(runOf([1n, 2n, 3n], ["a", "b", ""]));
    expect(merger.split(merger.merge(runs), [1, 2])).toEqual(runs);
  });

  it("gives back what any runs held, in memory of their own", () => {
    const shape = fc.record({ axis: fc.nat(2), rest: fc.tuple(fc.nat(3), fc.nat(3)) });
    fc.assert(
      fc.property(shape, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }), (of, rows) => {
        const merger = mergerOf(info("x", "float32", of.axis));
        let value = 0;
        const runs = rows.map((count) => {
          const dims = [...of.rest].toSpliced(of.axis, 0, count);
          const length = dims.reduce((product, size) => product * size, 1);
          return { x: floats(dims, ...Array.from({ length }, () => (value += 1))) };
        });
        const outputs = merger.split(merger.merge(runs), rows);
        expect(outputs).toEqual(runs);
        const buffers = new Set(outputs.map(({ x }) => (x?.data instanceof Float32Array ? x.data.buffer : null)));
        expect(buffers.size).toBe(runs.length);
      }),
    );
  });

  it("tells apart runs whose rows have other sizes", () => {
    const merger = mergerOf(info("x", "float32", 0), info("y", "float32", 1));
    const kind = merger.kindOf({ x: floats([1, 2], 1, 2), y: floats([1, 1], 1) });
    expect(merger.kindOf({ x: floats([2, 2], 1, 2, 3, 4), y: floats([1, 2], 1, 2) })).toBe(kind);
    expect(merger.kindOf({ x: floats([1, 1], 1), y: floats([1, 1], 1) })).not.toBe(kind);
    expect(merger.kindOf({ x: floats([1, 2], 1, 2), y: floats([2, 1], 1, 2) })).not.toBe(kind);
  });

  it("refuses outputs without one entry per row", () => {
    const merger = mergerOf(info("x", "float32", 0));
    expect(() => merger.split({ x: floats([2, 1], 1, 2) }, [1, 2])).toThrow(RangeError);
    expect(() => merger.split({}, [1, 2])).toThrow(RangeError);
  });

  it("is not for a model with a fixed batch size, or with a tensor that has no rows", () => {
    const [rows, whole] = [info("x", "float32", 0), info("y", "float32", null)];
    expect(RunMerger.for(signatureOf([rows], [rows], 4))).toBeNull();
    expect(RunMerger.for(signatureOf([rows, whole], [rows]))).toBeNull();
    expect(RunMerger.for(signatureOf([rows], [rows, whole]))).toBeNull();
  });
});

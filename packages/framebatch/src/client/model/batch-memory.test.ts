import { describe, expect, it } from "vitest";
import { maxRowsInMemory } from "./batch-memory.js";
import type { TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";

function input(type: TensorType, dims: (number | null)[], batchAxis: number | null = 0): TensorInfo {
  return { name: type, type, dims, symbols: dims.map(() => null), batchAxis };
}

function rows(...inputs: TensorInfo[]): number {
  return maxRowsInMemory({ inputs, outputs: [], fixedBatch: null });
}

describe("the maximum rows of a batch without a size limit", () => {
  it("hold at most 32 MiB of inputs", () => {
    expect(rows(input("float32", [null, 3, 224, 224]))).toBe(55);
    expect(rows(input("uint8", [null, 3, 224, 224]))).toBe(222);
    expect(rows(input("int64", [null, 1024]), input("float32", [null, 1024]))).toBe(2730);
  });

  it("count neither inputs that the whole batch shares nor the batch axis, whatever its position", () => {
    expect(rows(input("float32", [2, null, 2 ** 20], 1), input("float64", [2 ** 22], null))).toBe(4);
  });

  it("are at least one", () => {
    expect(rows(input("float32", [null, 2 ** 26]))).toBe(1);
  });
});

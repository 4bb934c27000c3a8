import { describe, expect, it } from "vitest";
import { transferList } from "@framebatch/rows/collate/sent-rows.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { keepRows, OutputDims } from "./kept-runs.js";
import { KeptRows } from "./kept-rows.js";

const OWNER = {};

describe("rows that stay in a worker", () => {
  it("leave types and dims for the page, and the elements of the other rows", () => {
    const kept = new KeptRows(Infinity);
    const y = { type: "float32", dims: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) } as const;
    const outputs = keepRows([{ name: "y", ids: [7, null, 9] }], { y }, new Map(), kept, OWNER);
    expect(outputs["y"]).toEqual([
      { type: "float32", dims: [2], data: new Float32Array(0) },
      { type: "float32", dims: [2], data: Float32Array.of(3, 4) },
      { type: "float32", dims: [2], data: new Float32Array(0) },
    ]);
    expect([kept.get(7), kept.get(8), kept.get(9)]).toEqual([
      { type: "float32", dims: [2], data: Float32Array.of(1, 2) },
      undefined,
      { type: "float32", dims: [2], data: Float32Array.of(5, 6) },
    ]);
  });

  it("share no memory with rows that go to the page, and take it along", () => {
    const kept = new KeptRows(Infinity);
    const y = { type: "float32", dims: [2, 2], data: Float32Array.of(1, 2, 3, 4) } as const;
    const { y: left } = keepRows([{ name: "y", ids: [1, null] }], { y }, new Map(), kept, OWNER);
    structuredClone(left, { transfer: transferList({ y: left ?? [] }) });
    expect(kept.get(1)).toEqual({ type: "float32", dims: [2], data: Float32Array.of(1, 2) });
  });

  it("are released one by one, or all of one model", () => {
    const kept = new KeptRows(Infinity);
    const x = { type: "float32", dims: [1], data: Float32Array.of(1) } as const;
    kept.keep(1, x, OWNER);
    kept.keep(2, x, OWNER);
    kept.keep(3, x, {});
    kept.release([1, 99]);
    expect([kept.size, kept.get(1)]).toEqual([2, undefined]);
    kept.releaseOf(OWNER);
    expect([kept.get(2), kept.get(3)]).toEqual([undefined, x]);
  });
});

function info(name: string, dims: readonly (number | null)[]): TensorInfo {
  return { name, type: "float32", dims, symbols: dims.map(() => null), batchAxis: 0 };
}

describe("dims of outputs", () => {
  const fixed = info("fixed", [null, 5]);
  const varying = info("varying", [null, null]);
  const signature = { inputs: [info("x", [null, null])], outputs: [fixed, varying], fixedBatch: null };
  const feeds = (rows: number, length: number) => ({ x: { dims: [rows, length] } });

  it("follow from the model, or from an earlier run with items of the same sizes", () => {
    const dims = new OutputDims(signature);
    expect(dims.predict(fixed, 3, feeds(3, 8))).toEqual([3, 5]);
    expect(dims.predict(varying, 3, feeds(3, 8))).toBeNull();
    dims.saw(varying, [3, 4], feeds(3, 8));
    expect(dims.predict(varying, 7, feeds(7, 8))).toEqual([7, 4]);
    expect(dims.predict(varying, 7, feeds(7, 9))).toBeNull();
  });

  it("are not predicted again for items whose prediction was wrong", () => {
    const dims = new OutputDims(signature);
    dims.giveUp(fixed, feeds(1, 8));
    dims.saw(fixed, [1, 5], feeds(1, 8));
    expect([dims.predict(fixed, 2, feeds(2, 8)), dims.predict(fixed, 2, feeds(2, 9))]).toEqual([null, [2, 5]]);
  });
});

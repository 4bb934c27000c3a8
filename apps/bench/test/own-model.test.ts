import type { TensorInfo } from "framebatch";
import { describe, expect, it } from "vitest";
import { modelOf } from "../src/own-model.js";

const OWN = { name: "mine", url: "/mine.onnx" };

function input(name: string, dims: readonly (number | null)[], type: TensorInfo["type"] = "float32"): TensorInfo {
  return { name, type, dims, symbols: dims.map(() => null), batchAxis: 0 };
}

describe("a model of the user", () => {
  it("has lengths if a dimension varies, which a batch pads in front only", () => {
    expect(modelOf(OWN, [input("x", [null, 8])]).lengths).toBeUndefined();
    const tokens = [input("ids", [null, null], "int64"), input("attention_mask", [null, null], "int64")];
    expect(modelOf(OWN, tokens).lengths).toEqual({ least: 8, most: 64, step: 1, pads: true });
    expect(modelOf({ ...OWN, length: 32 }, tokens).lengths).toMatchObject({ least: 32, most: 32 });
    expect(modelOf(OWN, [input("image", [null, 3, 48, null])]).lengths?.pads).toBe(false);
  });

  it("has inputs in the range of their names and types", () => {
    const { inputs } = modelOf(OWN, [
      input("ids", [null, 4], "int64"),
      input("mask", [null, 4]),
      input("x", [null, 4]),
    ]);
    expect(inputs.map(({ below }) => below)).toEqual([8, "ones", 1]);
  });

  it("is rejected if its inputs cannot be made", () => {
    expect(() => modelOf(OWN, [input("x", [null, null, null])])).toThrow('Expected the input "x" to be float32, int32');
  });
});

import { describe, expect, it } from "vitest";
import { AbsentTensor } from "./absent-tensor.js";
import { Collator } from "./collator.js";
import { resolveSignature } from "../model/batch-axis.js";
import { planPadding } from "../padding/padding-plan.js";

const signature = resolveSignature(
  [
    { name: "frames", type: "float32", shape: ["batch", "time", 2] },
    { name: "lengths", type: "float32", shape: ["batch", "time"] },
    { name: "rate", type: "int64", shape: [] },
  ],
  [{ name: "y", type: "float32", shape: ["batch", 1] }],
);
const { reader } = new Collator(signature, planPadding(signature));
const rate = [16_000];

const refusalOf = (item: unknown) => {
  try {
    return reader.admit(item);
  } catch (error) {
    return error;
  }
};

describe("a tensor whose elements are elsewhere", () => {
  it("gives a row its sizes, and no elements", () => {
    const row = reader.admit({ frames: new AbsentTensor("float32", [3, 2]), lengths: [1, 2, 3], rate });
    expect(row.data[0]).toBeNull();
    expect(row.data[1]).toEqual(Float32Array.of(1, 2, 3));
    expect(row.sizes).toEqual([3]);
  });

  it.each([
    ["another type", { frames: new AbsentTensor("int64", [3, 2]), lengths: [1, 2, 3], rate }, "frames"],
    ["other dims", { frames: new AbsentTensor("float32", [3, 4]), lengths: [1, 2, 3], rate }, "frames"],
    ["another rank", { frames: new AbsentTensor("float32", [6]), lengths: [1, 2, 3], rate }, "frames"],
    [
      "a size that differs from another input's",
      { frames: new AbsentTensor("float32", [3, 2]), lengths: [1], rate },
      "lengths",
    ],
    [
      "an input that the batch shares",
      { frames: new AbsentTensor("float32", [1, 2]), lengths: [1], rate: new AbsentTensor("int64", []) },
      "rate",
    ],
  ])("is refused with %s", (_, item, input) => {
    expect(refusalOf(item)).toMatchObject({ code: "INVALID_INPUT", details: { input } });
  });
});

import { describe, expect, it } from "vitest";
import { resolveSignature } from "../model/batch-axis.js";
import { bucketOf } from "./extents.js";
import { planPadding } from "./padding-plan.js";

const signature = resolveSignature(
  [
    { name: "ids", type: "int64", shape: ["batch", "seq"] },
    { name: "mask", type: "int64", shape: ["batch", "mask_seq"] },
    { name: "image", type: "float32", shape: ["batch", 3, -1, -1] },
    { name: "words", type: "string", shape: ["batch", "seq"] },
    { name: "fixed", type: "float32", shape: ["batch", 4] },
  ],
  [{ name: "out", type: "float32", shape: ["batch", "seq", 8] }],
);

describe("a padding plan", () => {
  it("pads nothing by default, and has one extent for each dynamic dimension", () => {
    const plan = planPadding(signature);
    expect(plan.paddedCount).toBe(0);
    expect(plan.extents.map(({ symbol }) => symbol)).toEqual(["seq", "mask_seq", null, null]);
    expect(plan.inputs.map(({ extentOf }) => extentOf)).toEqual([[0], [1], [-1, 2, 3], [0], [-1]]);
  });

  it("puts padded extents first, and gives a mask the extent of its input", () => {
    const plan = planPadding(signature, { image: {}, ids: { mask: "mask", buckets: [8, 16], side: "left" } });
    expect(plan.paddedCount).toBe(3);
    expect(plan.extents[0]).toEqual({ symbol: "seq", side: "left", buckets: [8, 16], multipleOf: 1, isPadded: true });
    expect(plan.inputs.map(({ extentOf }) => extentOf)).toEqual([[0], [0], [-1, 1, 2], [0], [-1]]);
    expect(plan.inputs.map(({ maskValue }) => maskValue)).toEqual([undefined, 1n, undefined, undefined, undefined]);
    expect(plan.extentBySymbol.get("mask_seq")).toBe(0);
  });

  it("parses values to the input's type", () => {
    const plan = planPadding(signature, { ids: { value: 7 }, words: { value: "-" } });
    expect(plan.inputs.map(({ padValue }) => padValue)).toEqual([7n, undefined, undefined, "-", undefined]);
  });

  it("rounds sizes up to buckets and multiples", () => {
    const extent = { symbol: null, side: "right", isPadded: true } as const;
    const bucketed = (size: number) => bucketOf({ ...extent, buckets: [4, 8], multipleOf: 1 }, size);
    expect([0, 4, 5, 8, 9].map(bucketed)).toEqual([4, 4, 8, 8, null]);
    expect([0, 1, 16, 17].map((size) => bucketOf({ ...extent, buckets: null, multipleOf: 16 }, size))).toEqual([
      0, 16, 16, 32,
    ]);
  });
});

const wrong: [message: string, padding: unknown][] = [
  [
    'padding: expected an input ("ids", "mask", "image", "words", "fixed"), got "id"; name one of these, or remove it',
    { id: {} },
  ],
  [
    'padding: expected an input ("ids", "mask", "image", "words", "fixed"), got "imgae"; did you mean "image"?',
    { imgae: {} },
  ],
  [
    'padding["fixed"]: expected an input with a dynamic size besides the batch, got [batch, 4]; remove this entry',
    { fixed: {} },
  ],
  ['padding["ids"].side: expected "right" or "left", got string "up"; leave it out for right', { ids: { side: "up" } }],
  [
    'padding["ids"].side: expected "right" or "left", got Array(1); leave it out for right',
    { ids: { side: ["left"] } },
  ],
  [
    'padding["ids"].buckets: expected ascending whole numbers from 1, got [16, 8]; sort them, each once',
    { ids: { buckets: [16, 8] } },
  ],
  [
    'padding["ids"].buckets: expected ascending whole numbers from 1, got number 8; sort them, each once',
    { ids: { buckets: 8 } },
  ],
  [
    'padding["ids"].multipleOf: expected a whole number from 1, got number 0; leave it out for 1',
    { ids: { multipleOf: 0 } },
  ],
  [
    'padding["ids"]: expected either buckets or multipleOf, got both; remove one',
    { ids: { buckets: [8], multipleOf: 8 } },
  ],
  [
    'padding["words"].value: expected strings without U+0000, where ONNX Runtime would end them, got one at character 0; remove it',
    { words: { value: "\0" } },
  ],
  [
    'padding["words"].value: expected whole characters, got half of one (U+D83D) at character 1; cut strings between characters, as Array.from(text).slice(0, n).join("") does, or pass text.toWellFormed()',
    { words: { value: "-\ud83d" } },
  ],
  [
    'padding["ids"].value: expected a value for int64 (bigints from -9223372036854775808 to 9223372036854775807, or safe integers), got number 0.5; leave it out for zeros',
    { ids: { value: 0.5 } },
  ],
  [
    'padding["ids"].mask: expected the name of an input, got number 1; one of "mask", "image", "words", "fixed"',
    { ids: { mask: 1 } },
  ],
  [
    'padding["ids"].mask: expected another input ("mask", "image", "words", "fixed"), got "msak"; did you mean "mask"?',
    { ids: { mask: "msak" } },
  ],
  [
    'padding["ids"].mask: expected an input of numbers or bool, got "words" of type string; name another input',
    { ids: { mask: "words" } },
  ],
  [
    'padding["ids"].mask: expected an input with the batch and the dynamic sizes of [batch, seq], got "image" [batch, 3, ?, ?]; name another input',
    { ids: { mask: "image" } },
  ],
  [
    'padding["words"].side: expected left as for input "ids", with which it shares a size, got right; give both the same',
    { ids: { side: "left" }, words: { side: "right" } },
  ],
];

it.each(wrong)("rejects invalid padding: %s", (message, padding) => {
  const run = () => Reflect.apply(planPadding, undefined, [signature, padding]);
  expect(run).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message }));
});

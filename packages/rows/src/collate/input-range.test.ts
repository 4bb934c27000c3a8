import { describe, expect, it } from "vitest";
import { Collator } from "./collator.js";
import { resolveSignature } from "../model/batch-axis.js";
import { planPadding } from "../padding/padding-plan.js";
import { halfFloatBits } from "../tensor/half-float.js";
import { planChecks, type Validation } from "./input-range.js";

const signature = resolveSignature(
  [
    { name: "image", type: "float32", shape: ["batch", 3] },
    { name: "half", type: "float16", shape: ["batch", 2] },
    { name: "ids", type: "int64", shape: ["batch", "seq"] },
    { name: "bytes", type: "uint8", shape: ["batch", 1] },
    { name: "words", type: "string", shape: ["batch", 1] },
  ],
  [{ name: "out", type: "float32", shape: ["batch", 1] }],
);

const collatorFor = (validate?: Validation) =>
  new Collator(signature, planPadding(signature), planChecks(signature.inputs, validate));

const item = { image: [0, 0.5, 1], half: [0, 1], ids: [1, 2], bytes: [7], words: ["a"] };

describe("validation", () => {
  it.each<[sentence: string, validate: Validation, given: object]>([
    [
      'input "image": expected finite elements, got NaN at index 1; look for what made it',
      "finite",
      { image: Float32Array.of(0, NaN, 1) },
    ],
    [
      'input "image": expected finite elements, got -Infinity at index 0; look for what made it',
      "finite",
      { image: [-Infinity, 0, 0] },
    ],
    [
      'input "half": expected finite elements, got Infinity at index 1; look for what made it',
      "finite",
      { half: Uint16Array.of(0, halfFloatBits(Infinity)) },
    ],
    [
      'input "ids": expected elements from 0 to 30521, got 99999 at index 1; correct it, or the range in validate',
      { ids: { min: 0, max: 30521 } },
      { ids: [0, 99999] },
    ],
    [
      'input "ids": expected elements of 0 or more, got -1 at index 0; correct it, or the range in validate',
      { ids: { min: 0 } },
      { ids: BigInt64Array.of(-1n) },
    ],
    [
      'input "image": expected elements of 1 or less, got 1.5 at index 2; correct it, or the range in validate',
      { image: { max: 1 } },
      { image: [0, 0, 1.5] },
    ],
    [
      'input "image": expected elements of 1 or less, got Infinity at index 0; look for what made it',
      { image: { finite: false, max: 1 } },
      { image: [Infinity, 0, 0] },
    ],
    [
      'input "half": expected elements from 0 to 1, got -2 at index 1; correct it, or the range in validate',
      { half: { min: 0, max: 1 } },
      { half: [0.5, -2] },
    ],
    [
      'input "bytes": expected elements of 7 or less, got 8 at index 0; correct it, or the range in validate',
      { bytes: { max: 7 } },
      { bytes: [8] },
    ],
  ])("%s", (message, validate, given) => {
    const admit = () => collatorFor(validate).admit({ ...item, ...given });
    expect(admit).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }));
  });

  it.each<[what: string, validate: Validation, given: object]>([
    ["all elements without an option", {}, { image: [NaN, Infinity, 1e30] }],
    ["elements within the range", { image: { min: 0, max: 1 }, ids: { min: 1, max: 2 } }, {}],
    ["any whole numbers, because finite applies only to floating-point inputs", "finite", { ids: [2 ** 40] }],
    ["NaN with finite: false", { image: { finite: false, min: 0, max: 1 } }, { image: [NaN, 0, 1] }],
    ["the smallest subnormal and the most negative half float", "finite", { half: Uint16Array.of(1, 0xfbff) }],
  ])("accepts %s", (_, validate, given) => {
    expect(() => collatorFor(validate).admit({ ...item, ...given })).not.toThrow();
  });
});

describe("the validate option is rejected", () => {
  it.each<[message: string, validate: unknown]>([
    [
      'validate: expected an input ("image", "half", "ids", "bytes", "words"), got "imgae"; did you mean "image"?',
      { imgae: {} },
    ],
    ['validate["ids"].finite: expected true or false, got number 1; leave it out for true', { ids: { finite: 1 } }],
    ['validate["ids"].min: expected a number, got string "0"; leave it out for none', { ids: { min: "0" } }],
    ['validate["ids"].max: expected a number, got number NaN; leave it out for none', { ids: { max: NaN } }],
    ['validate["ids"]: expected min to be at most max, got 2 and 1; swap them', { ids: { min: 2, max: 1 } }],
    [
      'validate["bytes"]: expected a range with a value of uint8 in it, got 300 to 400; correct it',
      { bytes: { min: 300, max: 400 } },
    ],
    [
      'validate["ids"]: expected a range with a value of int64 in it, got 0.2 to 0.8; correct it',
      { ids: { min: 0.2, max: 0.8 } },
    ],
    ['validate["words"]: expected an input of numbers, got one of strings; remove it', { words: {} }],
  ])("if it is invalid: %s", (message, validate) => {
    const plan = () => Reflect.apply(planChecks, null, [signature.inputs, validate]);
    expect(plan).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message }));
  });
});

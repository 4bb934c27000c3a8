import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { softmax, topK } from "./index.js";
import { runInNewContext } from "node:vm";
import { halfFloatBits } from "@framebatch/rows/tensor/half-float.js";

const INVALID_INPUT = expect.objectContaining({ code: "INVALID_INPUT" });
const INVALID_OPTION = expect.objectContaining({ code: "INVALID_OPTION" });

describe("softmax", () => {
  test("gives the probabilities of one row", () => {
    const powers = [1, Math.E, Math.E ** 2];
    const sum = 1 + Math.E + Math.E ** 2;
    softmax([1, 2, 3]).forEach((p, index) => expect(p).toBeCloseTo((powers[index] ?? 0) / sum, 6));
  });

  test("is taken over the last axis", () => {
    const data = Float32Array.of(0, 0, 1000, 0, -1000, 0);
    expect(softmax({ data, dims: [3, 2] })).toEqual(Float32Array.of(0.5, 0.5, 1, 0, 0, 1));
  });

  test("every row sums to 1, keeps its order, and does not depend on an offset", () => {
    const row = fc.array(fc.double({ min: -700, max: 700, noNaN: true }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(row, fc.integer({ min: -1e6, max: 1e6 }), (logits, offset) => {
        const probabilities = softmax(logits);
        expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
        const highest = logits.indexOf(Math.max(...logits));
        expect(probabilities[highest]).toBe(Math.max(...probabilities));
        const moved = softmax(logits.map((logit) => logit + offset));
        probabilities.forEach((p, index) => expect(moved[index]).toBeCloseTo(p, 5));
      }),
    );
  });

  test("reads half precision from raw bits", () => {
    const data = Uint16Array.from([1, 2], halfFloatBits);
    expect(softmax({ type: "float16", data, dims: [2] })).toEqual(softmax([1, 2]));
  });

  test("reads half precision from raw bits of another realm, such as a frame", () => {
    const data: Uint16Array = Reflect.construct(runInNewContext("Uint16Array"), [
      Uint16Array.from([1, 2], halfFloatBits),
    ]);
    expect(softmax({ type: "float16", data, dims: [2] })).toEqual(softmax([1, 2]));
  });

  test("does not change its input", () => {
    const logits = Float32Array.of(1, 2);
    softmax(logits);
    expect(logits).toEqual(Float32Array.of(1, 2));
  });

  test.each([
    ["no numbers", []],
    ["strings", ["a", "b"]],
    ["64-bit integers", BigInt64Array.of(1n)],
    ["dims that do not fit", { data: [1, 2, 3], dims: [2, 2] }],
    // defect E22
    ["negative dims", { data: [1, 2, 3, 4], dims: [-1, -4] }],
    ["dims that are no whole numbers", { data: [1, 2, 3, 4], dims: [0.5, 8] }],
    ["a row of no classes", { data: new Float32Array(0), dims: [3, 0] }],
  ])("rejects %s", (_, logits) => {
    expect(() => softmax(logits)).toThrow(INVALID_INPUT);
  });
});

describe("topK", () => {
  test("gives the highest scores with their labels", () => {
    expect(topK(Float32Array.of(0.25, 0.5, 0.125), 2, ["cat", "dog", "bird"])).toEqual([
      { index: 1, score: 0.5, label: "dog" },
      { index: 0, score: 0.25, label: "cat" },
    ]);
  });

  test("gives no labels if none are passed", () => {
    expect(topK({ data: [3, 1], dims: [2] }, 1)).toEqual([{ index: 0, score: 3 }]);
  });

  // defect E22
  test("gives what a sort gives, of equal scores the first, and NaN last", () => {
    const below = (score: number) => (Number.isNaN(score) ? 1 : 0);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(NaN, -Infinity, -1, 0, 1, 2, 3, Infinity), { minLength: 1 }),
        fc.integer({ min: 1, max: 12 }),
        (scores, k) => {
          const sorted = scores
            .map((score, index) => ({ index, score }))
            .sort((a, b) => below(a.score) - below(b.score) || (a.score === b.score ? 0 : b.score - a.score || 0));
          expect(topK(scores, k)).toEqual(sorted.slice(0, k));
        },
      ),
    );
  });

  test("ranks all of many scores with few comparisons", () => {
    let reads = 0;
    const scores = new Proxy(
      Array.from({ length: 2000 }, (_, index) => (index * 7919) % 2000),
      {
        get(list, name) {
          reads += 1;
          return Reflect.get(list, name);
        },
      },
    );
    expect(topK(scores, 2000).map(({ score }) => score)).toEqual(
      Array.from({ length: 2000 }, (_, rank) => 1999 - rank),
    );
    // A comparison with each of the better ones would take two million.
    expect(reads).toBeLessThan(100_000);
  });

  test("ranks NaN below every number", () => {
    expect(topK([NaN, -5, NaN, 7], 3).map(({ index }) => index)).toEqual([3, 1, 0]);
  });

  test.each([
    ["k of 0", () => topK([1], 0)],
    ["a fraction", () => topK([1], 1.5)],
    ["too few labels", () => topK([1, 2], 1, ["cat"])],
    // @ts-expect-error TypeScript forbids what a plain script may pass
    ["null for labels", () => topK([1, 2], 1, null)],
  ])("rejects %s", (_, call) => {
    expect(call).toThrow(INVALID_OPTION);
  });

  test("rejects several rows", () => {
    expect(() => topK({ data: [1, 2, 3, 4], dims: [2, 2] }, 1)).toThrow(INVALID_INPUT);
    expect(topK({ data: [1, 2], dims: [1, 2] }, 1)).toEqual([{ index: 1, score: 2 }]);
  });
});

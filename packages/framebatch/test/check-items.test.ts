import { describe, expect, it } from "vitest";
import { resolveSignature } from "../src/core/model-axes.js";
import { planPadding, type PaddingByInput } from "../src/core/padding-plan.js";
import type { TensorData } from "../src/core/tensor.js";
import { drawItems } from "../src/worker/check-items.js";

const INPUTS = [
  { name: "ids", type: "int64", shape: ["batch", "length"] },
  { name: "attention_mask", type: "int64", shape: ["batch", "length"] },
  { name: "scale", type: "float32", shape: [] },
  { name: "flags", type: "bool", shape: ["batch", 40] },
  { name: "words", type: "string", shape: ["batch", 2] },
];

function draw({
  padding = {},
  integersBelow = 8,
  seed = 1,
  guess = 16,
}: { padding?: PaddingByInput; integersBelow?: number; seed?: number; guess?: number } = {}) {
  const signature = resolveSignature(INPUTS, [{ name: "y", type: "float32", shape: ["batch", 1] }]);
  return drawItems(signature, planPadding(signature, padding), { seed, count: 4, integersBelow, guess });
}

function elementsOf(data: TensorData = []): unknown[] {
  return Array.from<unknown>(data);
}

function lengths(items: ReturnType<typeof draw>) {
  return items.map((item) => item["ids"]?.dims[0]);
}

describe("made-up items", () => {
  it("are the same for the same seed, and others for another", () => {
    expect(draw()).toEqual(draw());
    expect(draw({ seed: 2 })).not.toEqual(draw());
  });

  it("differ from each other in all but what they share", () => {
    const items = draw();
    for (const name of ["ids", "flags", "words"]) {
      expect(new Set(items.map((item) => elementsOf(item[name]?.data).join())).size).toBe(4);
    }
    expect(new Set(items.map((item) => elementsOf(item["scale"]?.data).join())).size).toBe(1);
  });

  it("hold ids that every table of that size has", () => {
    const ids = draw({ integersBelow: 2 }).flatMap((item) => elementsOf(item["ids"]?.data));
    expect(new Set(ids)).toEqual(new Set([0n, 1n]));
    const zeros = draw({ integersBelow: 1 }).flatMap((item) => elementsOf(item["ids"]?.data));
    expect(new Set(zeros)).toEqual(new Set([0n]));
  });

  it("are wholly marked by their masks, which are left out where framebatch fills them", () => {
    expect(new Set(draw().flatMap((item) => elementsOf(item["attention_mask"]?.data)))).toEqual(new Set([1n]));
    const [first] = draw({ padding: { ids: { mask: "attention_mask" } } });
    expect(Object.keys(first ?? {})).toEqual(["ids", "scale", "flags", "words"]);
  });

  it("are of one size where nothing is padded, and of several where something is", () => {
    expect(lengths(draw())).toEqual([16, 16, 16, 16]);
    expect(lengths(draw({ padding: { ids: {} } }))).toEqual([16, 12, 8, 4]);
    expect(lengths(draw({ padding: { ids: { buckets: [6, 12] } } }))).toEqual([6, 5, 3, 2]);
    expect(lengths(draw({ padding: { ids: { multipleOf: 12 } } }))).toEqual([24, 24, 12, 12]);
    expect(lengths(draw({ guess: 1, padding: { ids: {} } }))).toEqual([1, 1, 1, 1]);
  });
});

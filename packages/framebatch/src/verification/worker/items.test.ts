import { describe, expect, it } from "vitest";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding, type PaddingByInput } from "@framebatch/rows/padding/padding-plan.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import { drawItems, type Draw, type GeneratedItem } from "./items.js";

const INPUTS = [
  { name: "ids", type: "int64", shape: ["batch", "length"] },
  { name: "attention_mask", type: "int64", shape: ["batch", "length"] },
  { name: "scale", type: "float32", shape: [] },
  { name: "sound", type: "float32", shape: ["batch", 400] },
  { name: "flags", type: "bool", shape: ["batch", 40] },
  { name: "words", type: "string", shape: ["batch", 2] },
];
const SIGNATURE = resolveSignature(INPUTS, [{ name: "y", type: "float32", shape: ["batch", 1] }]);

function draw({ padding = {}, ...given }: { padding?: PaddingByInput } & Partial<Draw> = {}) {
  const plain = { seed: 1, count: 4, spread: "signed", integersBelow: 8, guess: 16 } as const;
  return drawItems(SIGNATURE, planPadding(SIGNATURE, padding), { ...plain, ...given });
}

function all(given: Parameters<typeof draw>[0] = {}): GeneratedItem[] {
  const { compared, mates } = draw(given);
  return [...compared, ...mates];
}

function elementsOf(data: TensorData = []): unknown[] {
  return Array.from<unknown>(data);
}

function lengths(items: readonly GeneratedItem[]) {
  return items.map((item) => item["ids"]?.dims[0]);
}

function loudnessOf(item: GeneratedItem | undefined): number {
  const sound = elementsOf(item?.["sound"]?.data).map(Number);
  return Math.max(...sound.map(Math.abs));
}

describe("generated items", () => {
  it("are the same for the same seed", () => {
    expect(draw()).toEqual(draw());
  });

  it("defect 15: differ from the items of every other seed", () => {
    for (const name of ["ids", "sound", "words"]) {
      const [first, second] = [1, 2].map((seed) => all({ seed }).map((item) => elementsOf(item[name]?.data).join()));
      expect(
        first?.filter((elements) => second?.includes(elements)),
        name,
      ).toEqual([]);
    }
  });

  it("differ from each other in every input that is not shared", () => {
    for (const name of ["ids", "sound", "flags", "words"]) {
      expect(new Set(all().map((item) => elementsOf(item[name]?.data).join())).size, name).toBe(8);
    }
    expect(new Set(all().map((item) => elementsOf(item["scale"]?.data).join())).size).toBe(1);
  });

  it("differ in loudness and sign, also between an item and its batch-mates", () => {
    const { compared, mates } = draw();
    expect(loudnessOf(compared[1])).toBeGreaterThan(1000);
    expect(loudnessOf(mates[0])).toBeLessThan(0.01);
    expect(elementsOf(mates[1]?.["sound"]?.data).every((sample) => Number(sample) < 0)).toBe(true);
    expect(elementsOf(mates[2]?.["sound"]?.data).filter((sample) => sample !== 0)).toHaveLength(1);
  });

  it("stay between 0 and 1 with the spread unit", () => {
    const samples = all({ spread: "unit" }).flatMap((item) => elementsOf(item["sound"]?.data).map(Number));
    expect(samples.every((sample) => sample >= 0 && sample < 1)).toBe(true);
  });

  it("hold ids below the size of the smallest table", () => {
    const ids = (integersBelow: number) => all({ integersBelow }).flatMap((item) => elementsOf(item["ids"]?.data));
    expect(new Set(ids(2))).toEqual(new Set([0n, 1n]));
    expect(new Set(ids(1))).toEqual(new Set([0n]));
  });

  it("have masks of ones, unless framebatch fills the mask", () => {
    expect(new Set(all().flatMap((item) => elementsOf(item["attention_mask"]?.data)))).toEqual(new Set([1n]));
    const [first] = all({ padding: { ids: { mask: "attention_mask" } } });
    expect(Object.keys(first ?? {})).toEqual(["ids", "scale", "sound", "flags", "words"]);
  });

  it("have one size if no input is padded, and several otherwise", () => {
    expect(lengths(draw().compared)).toEqual([16, 16, 16, 16]);
    expect(lengths(draw({ padding: { ids: {} } }).compared)).toEqual([16, 12, 8, 4]);
    expect(lengths(draw({ padding: { ids: {} } }).mates)).toEqual([16, 12, 8, 4]);
    expect(lengths(draw({ padding: { ids: { buckets: [6, 12] } } }).compared)).toEqual([6, 5, 3, 2]);
    expect(lengths(draw({ padding: { ids: { multipleOf: 12 } } }).compared)).toEqual([24, 24, 12, 12]);
    expect(lengths(draw({ guess: 1, padding: { ids: {} } }).compared)).toEqual([1, 1, 1, 1]);
  });
});

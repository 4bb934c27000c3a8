import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CostModel } from "@framebatch/batcher/cost/cost-model.js";
import { storedBytes, leastRecentlyUsed, isManifest, type Entry, type Manifest } from "./model-cache.js";
import { isCosts } from "./model-facts.js";

const sound: Manifest = {
  version: 2,
  bytes: 12,
  sha256: `${"A".repeat(43)}=`,
  validator: null,
  storedAtMs: 1,
  lastUsedAtMs: 2,
};

describe("isManifest", () => {
  it("accepts a manifest of the current version", () => {
    expect(isManifest(sound)).toBe(true);
    expect(isManifest({ ...sound, validator: '"tag"||12' })).toBe(true);
  });

  it.each([
    ["version", 1],
    ["bytes", -1],
    ["bytes", 1.5],
    ["bytes", "12"],
    ["sha256", "short"],
    ["validator", undefined],
    ["storedAtMs", Number.NaN],
    ["lastUsedAtMs", Infinity],
  ])("rejects %s: %s", (field, value) => {
    expect(isManifest({ ...sound, [field]: value })).toBe(false);
  });

  it("rejects any other value, and fields that exist only on a prototype", () => {
    fc.assert(fc.property(fc.anything(), (value) => !isManifest(value)));
    expect(isManifest(Object.create(sound))).toBe(false);
  });
});

describe("isCosts", () => {
  it("accepts the data of a cost model after a structured clone", () => {
    const cost = new CostModel(8);
    for (let size = 1; size <= 8; size += 1) cost.observe(size, 16, 1 + size / 10);
    expect(isCosts(structuredClone(cost.toData()))).toBe(true);
  });

  it("defect 1: accepts data of rows without volume, and keeps their sizes separate", () => {
    const cost = new CostModel(8);
    for (let run = 0; run < 8; run += 1) for (const size of [1, 8]) cost.observe(size, 0, size);
    const data = structuredClone(cost.toData());
    expect([isCosts(data), data.shapes.length]).toEqual([true, 2]);
    const restored = new CostModel(8);
    restored.restore(data);
    expect(restored.predict(8, 0)).toBeGreaterThan(restored.predict(1, 0));
  });

  it.each([
    ["another version", { version: 2, shapes: [] }],
    ["no list of shapes", { version: 1, shapes: {} }],
    [
      "a shape without rows",
      { version: 1, shapes: [{ size: 0, volume: 1, meanVolume: 1, meanMs: 1, deviationMs: 0, weight: 1 }] },
    ],
    [
      "a time that is not a number",
      { version: 1, shapes: [{ size: 1, volume: 1, meanVolume: 1, meanMs: Number.NaN, deviationMs: 0, weight: 1 }] },
    ],
    [
      "a volume beyond the maximum",
      { version: 1, shapes: [{ size: 1, volume: 1e300, meanVolume: 1, meanMs: 1, deviationMs: 0, weight: 1 }] },
    ],
    [
      "a negative weight",
      { version: 1, shapes: [{ size: 1, volume: 1, meanVolume: 1, meanMs: 1, deviationMs: 0, weight: -1 }] },
    ],
  ])("rejects %s", (_what, value) => {
    expect(isCosts(value)).toBe(false);
  });
});

describe("leastRecentlyUsed", () => {
  const entry = (url: string, bytes: number, lastUsedAtMs: number): Entry => ({
    url,
    manifest: { ...sound, bytes, lastUsedAtMs },
  });

  it("selects the least recently used entries, and only as many as needed", () => {
    const entries = [entry("new", 10, 3), entry("old", 10, 1), entry("middle", 10, 2)];
    const urls = (bytes: number) => leastRecentlyUsed(entries, bytes).map(({ url }) => url);
    expect([urls(0), urls(1), urls(10), urls(11), urls(100)]).toEqual([
      [],
      ["old"],
      ["old"],
      ["old", "middle"],
      ["old", "middle", "new"],
    ]);
    expect(storedBytes(entries)).toBe(30);
  });
});

import { expect, test } from "vitest";
import type { ModelSettings } from "../src/settings.js";
import { bestOf, variantsOf, type Variant } from "../src/recommend/variants.js";
import { comparisonOf, type Lane } from "./support/comparisons.js";

const DEFAULTS: ModelSettings = { backend: "auto", release: "frame", maxBatch: 256 };

function changes(current: ModelSettings, provider: "wasm" | "webgpu", hasGpu: boolean) {
  return variantsOf(current, provider, hasGpu).map(({ change }) => change);
}

test("each variant changes one setting, and none is the current one", () => {
  expect(changes(DEFAULTS, "webgpu", true)).toEqual([{ release: "idle" }, { maxBatch: 16 }, { backend: "wasm" }]);
  expect(changes({ backend: "wasm", release: "window", maxBatch: 16 }, "wasm", true)).toEqual([
    { release: "frame" },
    { release: "idle" },
    { maxBatch: 256 },
    { backend: "webgpu" },
  ]);
});

test("WebGPU is not tried where it is missing or was not chosen by itself", () => {
  expect(changes({ ...DEFAULTS, backend: "wasm" }, "wasm", false)).not.toContainEqual({ backend: "webgpu" });
  expect(changes(DEFAULTS, "wasm", true)).not.toContainEqual({ backend: "webgpu" });
});

test("the best variant has the highest throughput and is worse in nothing", () => {
  const tried = (name: string, lane: Lane) => ({
    variant: { name, change: {} } satisfies Variant,
    gains: comparisonOf(lane, { rates: [100, 101, 99] }).gains,
  });
  const faster = tried("faster", { rates: [150, 151, 149] });
  const fastest = tried("fastest", { rates: [200, 201, 199] });
  const costly = tried("costly", { rates: [300, 301, 299], firstsMs: [90, 90, 90] });
  const broken = { variant: { name: "broken", change: {} }, gains: null };
  expect(bestOf([faster, fastest, costly, broken], 64)?.name).toBe("fastest");
  expect(bestOf([costly, broken], 64)).toBeNull();
});

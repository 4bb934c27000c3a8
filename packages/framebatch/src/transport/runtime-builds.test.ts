import { afterEach, expect, it, vi } from "vitest";
import type { ExternalFile } from "./protocol.js";
import { chooseBuild } from "./runtime-builds.js";

afterEach(() => vi.unstubAllGlobals());

const WEIGHTS: readonly ExternalFile[] = [
  { path: "weights", location: { blob: new Blob(), sha256: null }, integrity: null },
];
const ALONE = { externalData: [], isNearGpu: false } as const;
const NEAR_GPU = { externalData: [], isNearGpu: true } as const;
const LARGE = { externalData: WEIGHTS, isNearGpu: false } as const;

it.each([
  ["webgpu", ALONE, "jspi", "webgpu"],
  ["webnn", ALONE, "jspi", "webgpu"],
  ["wasm", ALONE, "wasm", "wasm"],
  ["wasm", NEAR_GPU, "jspi", "wasm"],
  ["wasm", LARGE, "jspi", "wasm"],
] as const)("%s, %j: %s where WebAssembly waits for promises, else %s", (provider, needs, withPromises, without) => {
  vi.stubGlobal("WebAssembly", { Suspending: () => undefined });
  expect(chooseBuild(provider, needs)).toBe(withPromises);
  vi.stubGlobal("WebAssembly", {});
  expect(chooseBuild(provider, needs)).toBe(without);
});

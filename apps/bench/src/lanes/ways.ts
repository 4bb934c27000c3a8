import type { ModelOptions } from "framebatch";
import { openModel } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/**
 * framebatch without options, and each way to run that a page can choose by hand. `default-again` differs from `default`
 * only in the profile that it is opened in: there, an earlier visit has measured the ways.
 */
export const WAY_LANES: readonly Lane[] = [
  wayLane("default", {}),
  wayLane("default-again", {}),
  wayLane("wasm-1", { executionProviders: ["wasm"], numThreads: 1 }),
  wayLane("wasm-2", { executionProviders: ["wasm"], numThreads: 2 }),
  wayLane("webgpu", { executionProviders: ["webgpu"] }),
];

function wayLane(name: string, options: ModelOptions): Lane {
  return { name, open: (model) => openModel(model, options) };
}

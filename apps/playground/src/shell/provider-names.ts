import type { ExecutionProvider } from "framebatch";

export const PROVIDER_NAMES: Readonly<Record<ExecutionProvider, string>> = {
  webgpu: "WebGPU",
  webnn: "WebNN",
  wasm: "WASM",
};

/** A separate list, since `Object.keys` returns `string[]`. */
export const PROVIDERS: readonly ExecutionProvider[] = ["webgpu", "webnn", "wasm"];

import type { ExecutionProvider } from "framebatch";

export const PROVIDER_NAMES: Readonly<Record<ExecutionProvider, string>> = {
  webgpu: "WebGPU",
  webnn: "WebNN",
  wasm: "WASM",
};

export const PROVIDERS: readonly ExecutionProvider[] = Object.keys(PROVIDER_NAMES).filter(isProvider);

function isProvider(name: string): name is ExecutionProvider {
  return Object.hasOwn(PROVIDER_NAMES, name);
}

import { type ExecutionProvider, traitsOf } from "./providers.js";
import type { LoadRequest, RuntimeBuild } from "./protocol.js";

/** Size of the WebAssembly of each build, in bytes. */
export const BUILD_BYTES: Readonly<Record<RuntimeBuild, number>> = { wasm: 14.2e6, jspi: 16.8e6, webgpu: 26.8e6 };

/**
 * Returns true if this browser has JavaScript Promise Integration, with which ONNX Runtime reads files piece by piece.
 */
export function canStream(): boolean {
  return "Suspending" in WebAssembly;
}

/** Whether a build lacks operators, and types of operators, that the one without a GPU has. */
export function isReduced(build: RuntimeBuild): boolean {
  return build !== "wasm";
}

/** What decides which build runs a provider. */
export type BuildNeeds = Pick<LoadRequest, "externalData" | "isNearGpu">;

/**
 * Returns the smallest build that supports the provider in this browser. With external files, prefers the build that
 * reads them piece by piece; near a GPU, the one that every provider can share.
 */
export function chooseBuild(
  provider: ExecutionProvider,
  { externalData, isNearGpu = false }: BuildNeeds,
): RuntimeBuild {
  const isPlain = traitsOf(provider).build === "plain";
  if (isPlain && !(canStream() && (isNearGpu || externalData.length > 0))) return "wasm";
  return canStream() ? "jspi" : "webgpu";
}

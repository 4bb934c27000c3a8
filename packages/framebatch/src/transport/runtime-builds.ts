import { type ExecutionProvider, type RuntimeBuild, traitsOf } from "./providers.js";
import type { LoadRequest } from "./protocol.js";

/** Whether a build contains a provider. */
export function supports(build: RuntimeBuild, provider: ExecutionProvider): boolean {
  return traitsOf(provider).builds.includes(build);
}

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
  const possible = traitsOf(provider).builds.filter((build) => build !== "jspi" || canStream());
  const prefersJspi = isNearGpu || externalData.length > 0;
  return prefersJspi && possible.includes("jspi") ? "jspi" : possible[0]!;
}

import { errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** The outcome of the comparison of the answers of a provider with those of WASM. */
export interface ProviderCheck {
  /** The provider that was compared, or the one that the model runs on. */
  readonly provider: ExecutionProvider;
  /**
   * - `passed`: the answers to the items that were compared agree.
   * - `failed`: an answer differs beyond tolerance. The model has left the provider if it has another one.
   * - `inconclusive`: not known yet: the comparison follows the first requests, while nothing else runs.
   * - `skipped`: not compared: the comparison is turned off, or cannot be made.
   */
  readonly outcome: "passed" | "failed" | "inconclusive" | "skipped";
  /** What was compared, or why nothing was; a text for people. */
  readonly reason: string;
  /**
   * The sizes of the items that were compared: the dims of the inputs in the order of the model, without the batch
   * axis.
   */
  readonly comparedSizes: readonly (readonly number[])[];
  /** Whether the outcome comes from an earlier session of the same model, adapter, browser and runtime. */
  readonly fromCache: boolean;
}

/**
 * The builds of ONNX Runtime, each with its WebAssembly: the name of its file in `dist`, and its size in bytes. A file that ends in
 * `.bin` is compressed with gzip.
 *
 * - `jspi`: WebGPU and WebNN through JavaScript Promise Integration. Smaller and faster than `webgpu`.
 * - `webgpu`: WebGPU and WebNN through Asyncify, for browsers without JavaScript Promise Integration.
 * - `wasm`: no WebGPU. The smallest build.
 */
export const RUNTIME_BUILDS = {
  jspi: { wasm: "ort-wasm-simd-threaded.jspi.wasm", bytes: 16.8e6 },
  webgpu: { wasm: "ort-wasm-simd-threaded.asyncify.bin", bytes: 26.8e6 },
  wasm: { wasm: "ort-wasm-simd-threaded.wasm", bytes: 14.2e6 },
} as const;

/** A build of ONNX Runtime. */
export type RuntimeBuild = keyof typeof RUNTIME_BUILDS;

/** Properties of an execution provider of ONNX Runtime. */
export interface ProviderTraits {
  /** The browser API that the provider requires: `navigator.gpu`, `navigator.ml`, or none. */
  readonly needs: "gpu" | "ml" | null;
  /** The builds of ONNX Runtime that contain the provider, the best first. */
  readonly builds: readonly RuntimeBuild[];
  /** Whether the provider may accept a model and then fail its first run. A trial must then run the model. */
  readonly mayRefuseLate: boolean;
  /**
   * Whether the provider compiles each new shape, so that the time of a shape's first run does not predict the second.
   */
  readonly compilesShapes: boolean;
  /** Whether memory stays allocated after a failed allocation, so that only a new worker can continue with less. */
  readonly keepsRefusedMemory: boolean;
  /** Whether an index out of range is an error. Otherwise, the answer contains arbitrary memory. */
  readonly checksIndices: boolean;
  /** Whether the provider needs a GPU device, which can be lost. */
  readonly usesGpu: boolean;
}

/**
 * All execution providers. To add a provider, add an entry: the option's type and validation, the trial, the warm-up
 * and the recovery derive from it.
 */
export const PROVIDERS = {
  webgpu: {
    needs: "gpu",
    builds: ["jspi", "webgpu"],
    mayRefuseLate: true,
    compilesShapes: true,
    keepsRefusedMemory: true,
    checksIndices: false,
    usesGpu: true,
  },
  webnn: {
    needs: "ml",
    builds: ["jspi", "webgpu"],
    mayRefuseLate: true,
    compilesShapes: true,
    keepsRefusedMemory: true,
    checksIndices: false,
    usesGpu: false,
  },
  wasm: {
    needs: null,
    builds: ["wasm", "jspi", "webgpu"],
    mayRefuseLate: false,
    compilesShapes: false,
    keepsRefusedMemory: false,
    checksIndices: true,
    usesGpu: false,
  },
} as const satisfies Record<string, ProviderTraits>;

/**
 * An execution provider of ONNX Runtime that a model can run on: `"webgpu"` (the GPU), `"webnn"` (what the browser has
 * for neural networks) or `"wasm"` (the processor, in every browser).
 */
export type ExecutionProvider = keyof typeof PROVIDERS;

/**
 * Options of ONNX Runtime for each execution provider, which get them as they are. The guide to the options lists those
 * of this version. ONNX Runtime ignores a name that it does not know.
 */
export type ProviderOptions = { readonly [Provider in ExecutionProvider]?: Readonly<Record<string, unknown>> };

/** A way to run a model. */
export interface Way {
  readonly provider: ExecutionProvider;
  /** Number of threads of ONNX Runtime's WebAssembly. */
  readonly numThreads: number;
}

export function isSameWay(one: Way, other: Way): boolean {
  return one.provider === other.provider && one.numThreads === other.numThreads;
}

/** Whether a load failed for a reason that need not hold in another way to run. */
export function isOfWay(error: unknown): error is FramebatchError {
  if (!(error instanceof FramebatchError)) return false;
  const { scope } = errorTraits(error.code);
  return scope === "provider" || scope === "worker";
}

export function traitsOf(provider: ExecutionProvider): ProviderTraits {
  return PROVIDERS[provider];
}

export function isProvider(name: unknown): name is ExecutionProvider {
  return typeof name === "string" && Object.hasOwn(PROVIDERS, name);
}

/** Returns the providers with one of them first. */
export function startingWith(
  provider: ExecutionProvider,
  providers: readonly ExecutionProvider[],
): readonly ExecutionProvider[] {
  return [provider, ...providers.filter((other) => other !== provider)];
}

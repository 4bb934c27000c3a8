/** What framebatch knows about an execution provider of ONNX Runtime. */
export interface ProviderTraits {
  /** What the browser must offer: `navigator.gpu`, `navigator.ml`, or nothing. */
  readonly needs: "gpu" | "ml" | null;
  /** Which of ONNX Runtime's builds contains it. */
  readonly build: "plain" | "accelerated";
  /** Whether it may accept a model and refuse its first run, so that a trial always runs the model. */
  readonly mayRefuseLate: boolean;
  /** Whether it compiles for each new shape, so that the first run of a shape says nothing about the second. */
  readonly compilesShapes: boolean;
  /** Whether memory that it was refused stays taken, so that only another worker can go on with less. */
  readonly keepsRefusedMemory: boolean;
  /** Whether an index out of range is an error; otherwise the answer holds whatever lies there. */
  readonly checksIndices: boolean;
  /** Whether it needs a GPU device, which can be lost. */
  readonly usesGpu: boolean;
}

/**
 * Every execution provider. Adding one is one entry: the option's type and validation, the trial, the warm-up and the recovery derive
 * from it.
 */
export const PROVIDERS = {
  webgpu: {
    needs: "gpu",
    build: "accelerated",
    mayRefuseLate: true,
    compilesShapes: true,
    keepsRefusedMemory: true,
    checksIndices: false,
    usesGpu: true,
  },
  webnn: {
    needs: "ml",
    build: "accelerated",
    mayRefuseLate: true,
    compilesShapes: true,
    keepsRefusedMemory: true,
    checksIndices: false,
    usesGpu: false,
  },
  wasm: {
    needs: null,
    build: "plain",
    mayRefuseLate: false,
    compilesShapes: false,
    keepsRefusedMemory: false,
    checksIndices: true,
    usesGpu: false,
  },
} as const satisfies Record<string, ProviderTraits>;

/** The execution providers that a model can be asked to run on. */
export type ExecutionProvider = keyof typeof PROVIDERS;

export function traitsOf(provider: ExecutionProvider): ProviderTraits {
  return PROVIDERS[provider];
}

export function isProvider(name: unknown): name is ExecutionProvider {
  return typeof name === "string" && Object.hasOwn(PROVIDERS, name);
}

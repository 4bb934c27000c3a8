import * as ort from "onnxruntime-web/wasm";

/**
 * Replaces ONNX Runtime for WebGPU on a machine without a GPU: real sessions on WASM, with the faults that a test sets.
 */

type Values = ort.InferenceSession.OnnxValueMapType;
type Run = (feeds: Values) => Promise<Values>;

/** Handles a run's feeds, and may call the session through `run`. */
export type GpuFault = (feeds: Values, run: Run) => Promise<Values>;

let fault: GpuFault | null = null;
let wasmFault: GpuFault | null = null;

export function setGpuFault(next: GpuFault | null): void {
  fault = next;
}

/** The same for sessions on WASM in the runtime for a GPU. */
export function setWasmFault(next: GpuFault | null): void {
  wasmFault = next;
}

export const { Tensor } = ort;

const device = { lost: new Promise(() => undefined), addEventListener: () => undefined };

export const env = { versions: ort.env.versions, wasm: ort.env.wasm, logLevel: "error", webgpu: { device } };

export const InferenceSession = {
  async create(bytes: Uint8Array, { executionProviders = [] }: ort.InferenceSession.SessionOptions = {}) {
    const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
    const isOnGpu = executionProviders.some((entry) => typeof entry === "object" && entry.name === "webgpu");
    const { inputMetadata, outputMetadata } = session;
    return {
      inputMetadata,
      outputMetadata,
      release: () => session.release(),
      run(feeds: Values, fetches: readonly string[], options: ort.InferenceSession.RunOptions = {}): Promise<Values> {
        const run: Run = (fed) => session.run(fed, fetches, options);
        const own = isOnGpu ? fault : wasmFault;
        return own === null ? run(feeds) : own(feeds, run);
      },
    };
  },
};

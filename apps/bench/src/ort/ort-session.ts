import type { InferenceSession, Tensor } from "onnxruntime-web";

/** Where to run, in ONNX Runtime's words. */
export type OrtBackend = "wasm" | "webgpu";

/** The one input of a model, with the dims of one item. */
export interface OrtInput {
  readonly name: string;
  readonly dims: readonly number[];
}

/** onnxruntime-web with nothing around it. One run at a time: two at once on WebGPU hang the thread. */
export interface OrtSession {
  /** A batch with its inputs in place: each call runs it once and gives all rows of the first output. */
  prepare(data: Float32Array, size: number): () => Promise<Float32Array>;
  release(): Promise<void>;
}

/** One thread, and the smallest build that has the backend, as framebatch chooses it. */
export async function createOrtSession(url: string, backend: OrtBackend, input: OrtInput): Promise<OrtSession> {
  const ort = await loadOrt(backend);
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(url, { executionProviders: [backend] });
  return {
    prepare(data, size) {
      const feeds = { [input.name]: new ort.Tensor("float32", data, [size, ...input.dims]) };
      return async () => firstOutput(session, await session.run(feeds));
    },
    release: () => session.release(),
  };
}

function loadOrt(backend: OrtBackend): Promise<typeof import("onnxruntime-web")> {
  if (backend === "wasm") return import("onnxruntime-web/wasm");
  return "Suspending" in WebAssembly ? import("onnxruntime-web/jspi") : import("onnxruntime-web/webgpu");
}

function firstOutput(session: InferenceSession, outputs: Readonly<Record<string, Tensor>>): Float32Array {
  const output = outputs[session.outputNames[0] ?? ""];
  if (output?.data instanceof Float32Array) return output.data;
  throw new Error(`Expected a float32 output, got ${output?.type ?? "none"}.`);
}

import type { InferenceSession, Tensor } from "onnxruntime-web";
import { stackItems } from "./stack-items.js";
import type { BenchItem, BenchTensor, Numbers } from "./tensors.js";

/** A backend by its name in ONNX Runtime. */
export type OrtBackend = "wasm" | "webgpu";

/** The first output of a run, with all rows. */
export interface RunOutput {
  readonly data: Exclude<Tensor.DataType, string[]>;
  readonly dims: readonly number[];
}

/** A plain onnxruntime-web session. One run at a time: two concurrent runs on WebGPU hang the thread. */
export interface OrtRunner {
  run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput>;
  release(): Promise<void>;
}

export interface OrtSession {
  /**
   * Prepares the inputs of a batch. Each call of the returned function runs it once and resolves to all rows of the
   * first output.
   */
  prepare(items: readonly BenchItem[]): () => Promise<Numbers>;
  release(): Promise<void>;
}

/** Creates a session with one thread and the smallest build that supports the backend, as framebatch does. */
export async function createOrtSession(url: string, backend: OrtBackend): Promise<OrtSession> {
  return openOrtSession(await loadOrt(backend), url, backend);
}

/** Like `createOrtSession`, with a given copy of onnxruntime-web. */
export async function openOrtSession(ort: Ort, url: string, backend: OrtBackend): Promise<OrtSession> {
  const session = await createSession(ort, url, backend);
  return {
    prepare(items) {
      const feeds = toFeeds(ort, stackItems(items));
      return async () => firstOutput(session, await session.run(feeds)).data;
    },
    release: () => session.release(),
  };
}

/** Creates a session for feeds that are not known in advance. */
export async function createOrtRunner(url: string, backend: OrtBackend): Promise<OrtRunner> {
  const ort = await loadOrt(backend);
  const session = await createSession(ort, url, backend);
  return {
    run: async (feeds) => firstOutput(session, await session.run(toFeeds(ort, feeds))),
    release: () => session.release(),
  };
}

export type Ort = typeof import("onnxruntime-web");

/** Creates a session with one thread. */
export function createSession(ort: Ort, url: string, backend: OrtBackend): Promise<InferenceSession> {
  ort.env.wasm.numThreads = 1;
  return ort.InferenceSession.create(url, { executionProviders: [backend] });
}

/** Loads the smallest build that supports a backend. */
export function loadOrt(backend: OrtBackend): Promise<Ort> {
  if (backend === "wasm") return import("onnxruntime-web/wasm");
  return "Suspending" in WebAssembly ? import("onnxruntime-web/jspi") : import("onnxruntime-web/webgpu");
}

function toFeeds(ort: Ort, tensors: Readonly<Record<string, BenchTensor>>): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {};
  for (const [name, { type, data, dims }] of Object.entries(tensors)) feeds[name] = new ort.Tensor(type, data, dims);
  return feeds;
}

function firstOutput(session: InferenceSession, outputs: Readonly<Record<string, Tensor>>): RunOutput {
  const output = outputs[session.outputNames[0] ?? ""];
  if (output === undefined || Array.isArray(output.data)) {
    throw new Error(`Expected an output of numbers, got ${output?.type ?? "none"}.`);
  }
  return { data: output.data, dims: output.dims };
}

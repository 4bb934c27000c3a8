import type { InferenceSession, Tensor } from "onnxruntime-web";
import { stackItems } from "./stack-items.js";
import type { BenchItem, BenchTensor, Numbers } from "./tensors.js";

/** Where to run, in ONNX Runtime's words. */
export type OrtBackend = "wasm" | "webgpu";

/** The first output of a run, all rows of it. */
export interface RunOutput {
  readonly data: Exclude<Tensor.DataType, string[]>;
  readonly dims: readonly number[];
}

/** onnxruntime-web with nothing around it. One run at a time: two at once on WebGPU hang the thread. */
export interface OrtRunner {
  run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput>;
  release(): Promise<void>;
}

export interface OrtSession {
  /** A batch with its inputs in place: each call runs it once and gives all rows of the first output. */
  prepare(items: readonly BenchItem[]): () => Promise<Numbers>;
  release(): Promise<void>;
}

/** One thread, and the smallest build that has the backend, as framebatch chooses it. */
export async function createOrtSession(url: string, backend: OrtBackend): Promise<OrtSession> {
  return openOrtSession(await loadOrt(backend), url, backend);
}

/** The same with a copy of onnxruntime-web that somebody has set up. */
export async function openOrtSession(ort: Ort, url: string, backend: OrtBackend): Promise<OrtSession> {
  const session = await create(ort, url, backend);
  return {
    prepare(items) {
      const feeds = toFeeds(ort, stackItems(items));
      return async () => firstOutput(session, await session.run(feeds)).data;
    },
    release: () => session.release(),
  };
}

/** The same for feeds that are not known beforehand. */
export async function createOrtRunner(url: string, backend: OrtBackend): Promise<OrtRunner> {
  const ort = await loadOrt(backend);
  const session = await create(ort, url, backend);
  return {
    run: async (feeds) => firstOutput(session, await session.run(toFeeds(ort, feeds))),
    release: () => session.release(),
  };
}

export type Ort = typeof import("onnxruntime-web");

function create(ort: Ort, url: string, backend: OrtBackend): Promise<InferenceSession> {
  ort.env.wasm.numThreads = 1;
  return ort.InferenceSession.create(url, { executionProviders: [backend] });
}

function loadOrt(backend: OrtBackend): Promise<Ort> {
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

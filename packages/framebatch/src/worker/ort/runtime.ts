import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import type { LoadRequest } from "../../core/protocol/protocol.js";

/** ONNX Runtime, whichever build. */
export type Runtime = typeof import("onnxruntime-web/wasm");

/**
 * - `jspi`: WebGPU and WebNN through JavaScript promise integration; the smaller and faster of the two with a GPU.
 * - `webgpu`: the same through asyncify, for browsers without it.
 * - `wasm`: no WebGPU, the smallest.
 */
export type RuntimeBuild = "jspi" | "webgpu" | "wasm";

const WASM_FILES: Readonly<Record<RuntimeBuild, string>> = {
  jspi: "ort-wasm-simd-threaded.jspi.wasm",
  webgpu: "ort-wasm-simd-threaded.asyncify.wasm",
  wasm: "ort-wasm-simd-threaded.wasm",
};

/** The smallest build that can serve the provider in this browser. */
export function chooseBuild(provider: ExecutionProvider): RuntimeBuild {
  if (traitsOf(provider).build === "plain") return "wasm";
  return "Suspending" in WebAssembly ? "jspi" : "webgpu";
}

/**
 * Loads a build and sets it up. ONNX Runtime keeps its state in its module, and a beginning that failed stays failed: one
 * build, one time in the life of a worker.
 */
export async function loadRuntime(build: RuntimeBuild, request: LoadRequest): Promise<Runtime> {
  const runtime = await importBuild(build);
  runtime.env.logLevel = "error";
  runtime.env.wasm.numThreads = request.numThreads;
  const paths = wasmPathsOf(build, request.wasmPaths);
  if (paths !== undefined) runtime.env.wasm.wasmPaths = paths;
  return runtime;
}

/** Each import stands alone with its name written out, so that bundlers make a chunk of each and load only one. */
function importBuild(build: RuntimeBuild): Promise<Runtime> {
  switch (build) {
    case "jspi":
      return import("onnxruntime-web/jspi");
    case "webgpu":
      return import("onnxruntime-web/webgpu");
    case "wasm":
      return import("onnxruntime-web/wasm");
  }
}

/** Names the files one by one: a prefix alone would make ONNX Runtime fetch its JavaScript a second time. */
function wasmPathsOf(build: RuntimeBuild, paths: LoadRequest["wasmPaths"]) {
  const file = WASM_FILES[build];
  if (paths === null) return undefined;
  if (typeof paths === "string") return { wasm: paths + file };
  const mjsFile = file.replace(/\.wasm$/, ".mjs");
  const wasm = paths[file];
  const mjs = paths[mjsFile];
  return { ...(wasm !== undefined && { wasm }), ...(mjs !== undefined && { mjs }) };
}

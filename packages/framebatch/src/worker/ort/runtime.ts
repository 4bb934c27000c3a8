import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import type { LoadRequest } from "../../transport/protocol.js";

/** ONNX Runtime, any build. */
export type Runtime = typeof import("onnxruntime-web/wasm");

/**
 * A build of ONNX Runtime.
 *
 * - `jspi`: WebGPU and WebNN through JavaScript Promise Integration. Smaller and faster than `webgpu`.
 * - `webgpu`: WebGPU and WebNN through Asyncify, for browsers without JavaScript Promise Integration.
 * - `wasm`: no WebGPU. The smallest build.
 */
export type RuntimeBuild = "jspi" | "webgpu" | "wasm";

const WASM_FILES: Readonly<Record<RuntimeBuild, string>> = {
  jspi: "ort-wasm-simd-threaded.jspi.wasm",
  webgpu: "ort-wasm-simd-threaded.asyncify.wasm",
  wasm: "ort-wasm-simd-threaded.wasm",
};

/** Returns the smallest build that supports the provider in this browser. */
export function chooseBuild(provider: ExecutionProvider): RuntimeBuild {
  if (traitsOf(provider).build === "plain") return "wasm";
  return "Suspending" in WebAssembly ? "jspi" : "webgpu";
}

/**
 * Loads and configures a build. ONNX Runtime keeps its state in its module, and a failed start cannot be repeated, so
 * each worker loads one build once.
 */
export async function loadRuntime(build: RuntimeBuild, request: LoadRequest): Promise<Runtime> {
  const runtime = await importBuild(build);
  runtime.env.logLevel = "error";
  runtime.env.wasm.numThreads = request.numThreads;
  const paths = wasmPathsOf(build, request.wasmPaths);
  if (paths !== undefined) runtime.env.wasm.wasmPaths = paths;
  return runtime;
}

/** Every import is a separate literal, so bundlers make one chunk of each and load only one. */
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

/** Names each file: given only a prefix, ONNX Runtime would fetch its JavaScript a second time. */
function wasmPathsOf(build: RuntimeBuild, paths: LoadRequest["wasmPaths"]) {
  const file = WASM_FILES[build];
  if (paths === null) return undefined;
  if (typeof paths === "string") return { wasm: paths + file };
  const mjsFile = file.replace(/\.wasm$/, ".mjs");
  const wasm = paths[file];
  const mjs = paths[mjsFile];
  return { ...(wasm !== undefined && { wasm }), ...(mjs !== undefined && { mjs }) };
}

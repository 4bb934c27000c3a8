import { env, LogLevel } from "@huggingface/transformers";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";

/**
 * Lets transformers.js load files only from this page's server, and sets ONNX Runtime to one thread, as in the other lanes.
 * @param modelUrl the file of each model
 * @param config what all its other files hold
 */
export function stayHere(modelUrl: string, config: object): void {
  // transformers.js warns about every model type that it does not know.
  env.logLevel = LogLevel.ERROR;
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.useBrowserCache = false;
  env.useWasmCache = false;
  env.fetch = (wanted) => (String(wanted).endsWith(".onnx") ? fetch(modelUrl) : Promise.resolve(Response.json(config)));
  const { wasm } = env.backends.onnx;
  if (wasm === undefined) throw new Error("Expected a build of transformers.js for browsers.");
  wasm.wasmPaths = { wasm: new URL(wasmUrl, self.location.href).href };
  wasm.numThreads = 1;
}

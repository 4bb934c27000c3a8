import { env, LogLevel } from "@huggingface/transformers";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";

/**
 * Lets transformers.js find a tiny encoder and its runtime beside this page. Without it, models come from the Hugging Face
 * Hub, and the runtime from a CDN.
 */
export function findFilesHere() {
  env.logLevel = LogLevel.ERROR;
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.localModelPath = new URL("../transformers/models/", self.location.href).pathname;
  const { wasm } = env.backends.onnx;
  if (wasm === undefined) throw new Error("expected a build of transformers.js for browsers");
  wasm.wasmPaths = { wasm: new URL(wasmUrl, self.location.href).href };
  wasm.numThreads = 1;
}

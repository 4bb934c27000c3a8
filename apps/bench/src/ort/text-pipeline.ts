import { env, LogLevel, pipeline } from "@huggingface/transformers";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";

/** Computes the vectors of texts, in order. */
export type Embed = (texts: readonly string[]) => Promise<number[][]>;

/** Loads the text encoder of this repository as a pipeline of transformers.js, from this page's server, with one thread. */
export async function loadPipeline(): Promise<Embed> {
  env.logLevel = LogLevel.ERROR;
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.localModelPath = "/hub/";
  env.useBrowserCache = false;
  env.useWasmCache = false;
  const { wasm } = env.backends.onnx;
  if (wasm === undefined) throw new Error("Expected a build of transformers.js for browsers.");
  wasm.wasmPaths = { wasm: new URL(wasmUrl, self.location.href).href };
  wasm.numThreads = 1;
  const extract = await pipeline("feature-extraction", "bert-tiny", { device: "wasm", dtype: "fp32" });
  return async (texts) => (await extract([...texts], { pooling: "mean", normalize: true })).tolist();
}

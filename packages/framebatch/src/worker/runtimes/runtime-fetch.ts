import { fetchForRuntime } from "../ort/runtime-handover.js";

/** Size of the WebAssembly file that comes with this script, which the build inserts. A server may compress it. */
declare const RUNTIME_WASM_BYTES: number;

/**
 * Takes the place of `fetch` in the scripts of ONNX Runtime: the worker has requested the WebAssembly already.
 *
 * The WebAssembly of the build with Asyncify has 26.8 MB, and some hosts accept no file above 25 MiB. Therefore the
 * package has it compressed with gzip, as a `.bin` file, which this function decompresses while it arrives. It returns
 * other responses as they are, because browsers keep the compiled code of an original response in their cache.
 */
export async function runtimeFetch(address: string, init?: RequestInit): Promise<Response> {
  const response = await fetchForRuntime(address, init, RUNTIME_WASM_BYTES);
  if (!response.ok || response.body === null) return response;
  if (!new URL(response.url).pathname.endsWith(".bin")) return response;
  const body = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}

import { reportRuntimeBytes } from "../ort/runtime-handover.js";

/** Size of the WebAssembly file that comes with this script, which the build inserts. A server may compress it. */
declare const RUNTIME_WASM_BYTES: number;

/** Minimum time between two reports, in milliseconds: a message for each chunk would keep both threads busy. */
const REPORT_INTERVAL_MS = 50;

/**
 * Takes the place of `fetch` in the scripts of ONNX Runtime. It reports how much of the WebAssembly has arrived.
 *
 * The WebAssembly of the build with Asyncify has 26.8 MB, and some hosts accept no file above 25 MiB. Therefore the
 * package has it compressed with gzip, as a `.bin` file, which this function decompresses while it arrives. It returns
 * other responses as they are, because browsers keep the compiled code of an original response in their cache.
 */
export async function runtimeFetch(address: string, init?: RequestInit): Promise<Response> {
  const response = await globalThis.fetch(address, init);
  if (!response.ok || response.body === null) return response;
  // A broken connection fails the response that ONNX Runtime reads, too.
  void reportArrival(response.clone()).catch(() => undefined);
  if (!new URL(response.url).pathname.endsWith(".bin")) return response;
  const body = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}

async function reportArrival({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  let [loadedBytes, reportedAtMs] = [0, -Infinity];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return reportRuntimeBytes({ loadedBytes, totalBytes: loadedBytes });
    loadedBytes += value?.byteLength ?? 0;
    const nowMs = performance.now();
    if (nowMs - reportedAtMs < REPORT_INTERVAL_MS) continue;
    reportedAtMs = nowMs;
    // More bytes belong to another file, which the option `wasmPaths` names.
    reportRuntimeBytes({ loadedBytes, totalBytes: loadedBytes <= RUNTIME_WASM_BYTES ? RUNTIME_WASM_BYTES : null });
  }
}

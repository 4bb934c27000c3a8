import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import ortUrl from "onnxruntime-web/wasm?url";
import { openOrtSession, type Ort } from "../ort/ort-session.js";
import type { BenchItem } from "../ort/tensors.js";
import type { CalledLane, Lane } from "./lane.js";
import { refusing } from "./refusing.js";

/**
 * onnxruntime-web with its own worker (`proxy`), one run per call. WASM only: two concurrent WebGPU runs would hang
 * that worker. On WASM a run blocks the worker, which answers in order, so that calls may overlap here.
 */
export const ortProxy: Lane = {
  name: "ort-proxy",
  runs: (_, backend) => backend === "wasm",
  async open(model): Promise<CalledLane> {
    const session = await openOrtSession(await loadWithProxy(), model.url, "wasm");
    const run = (item: BenchItem) => session.prepare([item])();
    return {
      kind: "called",
      predict: (item, { signal } = {}) => refusing(signal, run(item)),
      answer: run,
      resetCounts: () => {},
      counts: () => null,
      curve: () => null,
      close: () => session.release(),
    };
  },
};

/**
 * Loads a separate copy of onnxruntime-web: the setting applies to all sessions of a copy, and the `ort-main` lane
 * needs the other value.
 */
async function loadWithProxy(): Promise<Ort> {
  const ort: Ort = await import(/* @vite-ignore */ ortUrl);
  ort.env.wasm.proxy = true;
  ort.env.wasm.wasmPaths = { wasm: new URL(wasmUrl, location.href).href };
  return ort;
}

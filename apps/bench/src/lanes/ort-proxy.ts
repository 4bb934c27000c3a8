import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import ortUrl from "onnxruntime-web/wasm?url";
import { openOrtSession, type Ort } from "../ort/ort-session.js";
import type { BenchItem } from "../ort/tensors.js";
import type { CalledLane, Lane } from "./lane.js";
import { refusing } from "./refusing.js";

/**
 * onnxruntime-web with the worker that it brings along, each call a run of its own. It is for WASM only: with WebGPU two runs
 * at once would hang that worker. Runs on WASM block it, so that they may overlap here: it answers in order.
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

/** A copy of its own, since a copy has one setting for all its sessions, and the main thread's lane wants the other one. */
async function loadWithProxy(): Promise<Ort> {
  const ort: Ort = await import(/* @vite-ignore */ ortUrl);
  ort.env.wasm.proxy = true;
  ort.env.wasm.wasmPaths = { wasm: new URL(wasmUrl, location.href).href };
  return ort;
}

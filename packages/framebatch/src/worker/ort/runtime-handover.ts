import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { shownAddress, shownCause } from "@framebatch/batcher/errors/description.js";
import type { RuntimeFiles } from "../../transport/protocol.js";
import { explainScript } from "../../transport/script-failure.js";
import { WORKER_MARK } from "../../transport/worker-mark.js";
import { ArrivingWasm, type ReportRuntimeBytes } from "./arriving-wasm.js";

/** ONNX Runtime, any build. */
export type Runtime = typeof import("onnxruntime-web/wasm");

/** The remedy if the script is not at its address. */
const FIX =
  "serve it beside framebatch.worker.js: npx framebatch copy <folder> copies both, and workerUrl says where they are";

interface Handover {
  /** Address of the script. ONNX Runtime starts its threads from it. */
  readonly script: string;
  /** `null` until the script has run. */
  runtime: Runtime | null;
  readonly wasm: Pick<ArrivingWasm, "fetch">;
}

/**
 * Imports a script of `worker/runtimes`, and requests its WebAssembly. The address of the script comes from the page, so
 * that every bundler can build a worker: none of them has to build ONNX Runtime into it.
 *
 * The script has no exports, so that it is a valid script and a valid module. Bundlers copy it as a file, and some of
 * them then pass it to a minifier that rejects modules.
 *
 * @param startsThreads whether ONNX Runtime starts threads, for which a script of another origin is copied to a blob
 * @throws RUNTIME_LOAD_FAILED when the script cannot be loaded
 */
export async function importRuntime(
  { script, wasm }: RuntimeFiles,
  startsThreads: boolean,
  onBytes: ReportRuntimeBytes,
): Promise<Runtime> {
  try {
    const address = startsThreads ? await ownAddressOf(script) : script;
    prepareHandover(address, wasm, onBytes);
    await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address);
    const runtime = currentHandover()?.runtime;
    if (!runtime) throw new Error("another script");
    return runtime;
  } catch (cause) {
    const { got, fix } = await explainScript(script, FIX);
    const shown = shownAddress(script);
    throw new FramebatchError(
      "RUNTIME_LOAD_FAILED",
      `expected ONNX Runtime's script (${shown}) to load, got ${got}; ${fix} (${shownAddress(String(cause))})`,
      { cause: shownCause(cause), details: { script: shown } },
    );
  }
}

/** Gives ONNX Runtime to the worker that imports this script. Does nothing in a thread of ONNX Runtime. */
export function handOver(runtime: Runtime): void {
  const handover = currentHandover();
  if (handover !== undefined) handover.runtime = runtime;
}

/** Takes the place of `fetch` in this script: see `ArrivingWasm.fetch`. */
export function fetchForRuntime(address: string, init: RequestInit | undefined, knownBytes: number): Promise<Response> {
  return currentHandover()?.wasm.fetch(address, init, knownBytes) ?? globalThis.fetch(address, init);
}

/** Returns the address of the running script of ONNX Runtime: in a thread of it, the thread's own. */
export function runtimeScript(): string {
  return currentHandover()?.script ?? location.href;
}

function prepareHandover(script: string, wasm: string, onBytes: ReportRuntimeBytes): void {
  // A script that is imported again does not run again.
  if (currentHandover()?.script === script) return;
  const handover: Handover = { script, runtime: null, wasm: new ArrivingWasm(wasm, onBytes) };
  Reflect.set(globalThis, WORKER_MARK, handover);
}

function currentHandover(): Handover | undefined {
  return Reflect.get(globalThis, WORKER_MARK);
}

/** A browser starts workers, and so threads, from addresses of the page's own origin only. */
async function ownAddressOf(script: string): Promise<string> {
  if (new URL(script).origin === self.origin) return script;
  const response = await fetch(script);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return URL.createObjectURL(await response.blob());
}

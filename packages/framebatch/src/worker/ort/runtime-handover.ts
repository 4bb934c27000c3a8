import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { shownAddress, shownCause } from "@framebatch/batcher/errors/shown-address.js";
import type { RuntimeFiles, LoadRequest, ByteProgress } from "../../transport/protocol.js";
import { explainScript } from "../../transport/script-failure.js";
import { WORKER_MARK } from "../../transport/worker-mark.js";
import type { ExecutionProvider, RuntimeBuild } from "../../transport/providers.js";

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
 * Imports a script of `worker/runtimes`, and requests its WebAssembly. The address of the script comes from the page,
 * so that every bundler can build a worker: none of them has to build ONNX Runtime into it.
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

/**
 * Returns the provider as ONNX Runtime takes it. Those of its options that concern the GPU device hold for all sessions
 * of a worker, as the first one sets them.
 */
export function entryOf(provider: ExecutionProvider, { providerOptions }: Pick<LoadRequest, "providerOptions">) {
  return { name: provider, ...providerOptions[provider] };
}

/**
 * Loads and configures a build. ONNX Runtime keeps its state in its script, and a failed start cannot be repeated, so
 * each worker loads one build once.
 * @throws RUNTIME_LOAD_FAILED when the script cannot be loaded
 */
export async function loadRuntime(
  build: RuntimeBuild,
  { runtimes, numThreads }: Pick<LoadRequest, "runtimes"> & { readonly numThreads: number },
  onBytes: ReportRuntimeBytes = () => undefined,
): Promise<Runtime> {
  const runtime = await importRuntime(runtimes[build], numThreads > 1, onBytes);
  runtime.env.logLevel = "error";
  runtime.env.wasm.numThreads = numThreads;
  runtime.env.wasm.wasmPaths = { wasm: runtimes[build].wasm };
  return runtime;
}

/** Receives how much of the WebAssembly has arrived. */
export type ReportRuntimeBytes = (bytes: ByteProgress) => void;

/** Minimum time between two reports, in milliseconds: a message for each chunk would keep both threads busy. */
const REPORT_INTERVAL_MS = 50;

/**
 * The WebAssembly of ONNX Runtime, requested together with its script: one round trip before the script asks for it.
 *
 * Every response is read as it arrives, whether the script has taken it or not. A browser opens six connections to a
 * server with HTTP/1.1, and a response that nobody reads keeps one of them: those of six workers would keep all their
 * scripts from arriving.
 */
export class ArrivingWasm {
  readonly #onBytes: ReportRuntimeBytes;
  readonly #address: string;
  /** `null` once the script has taken it. */
  #early: Promise<Response> | null;
  /** Size of the file that comes with the script, in bytes; `null` before the script has run. */
  #knownBytes: number | null = null;

  constructor(address: string, onBytes: ReportRuntimeBytes) {
    this.#address = address;
    this.#onBytes = onBytes;
    this.#early = this.#request(address, { credentials: "same-origin" });
    // The script gets the error.
    this.#early.catch(() => undefined);
  }

  /**
   * Takes the place of `fetch` in the script.
   * @param knownBytes size of the file that comes with the script, in bytes
   */
  fetch(address: string, init: RequestInit | undefined, knownBytes: number): Promise<Response> {
    this.#knownBytes = knownBytes;
    const early = this.#early;
    if (early === null || address !== this.#address) return this.#request(address, init);
    this.#early = null;
    return early;
  }

  async #request(address: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(address, init);
    // A broken connection fails the response that ONNX Runtime reads, too.
    if (response.ok && response.body !== null) void this.#read(response.clone()).catch(() => undefined);
    return response;
  }

  async #read({ body }: Response): Promise<void> {
    const reader = body?.getReader();
    let [loadedBytes, reportedAtMs] = [0, -Infinity];
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return this.#onBytes({ loadedBytes, totalBytes: loadedBytes });
      loadedBytes += value?.byteLength ?? 0;
      const nowMs = performance.now();
      if (nowMs - reportedAtMs < REPORT_INTERVAL_MS) continue;
      reportedAtMs = nowMs;
      this.#onBytes({ loadedBytes, totalBytes: this.#totalOf(loadedBytes) });
    }
  }

  /**
   * Returns `null` while the size is not known. More bytes than expected belong to another file, which `wasmPaths`
   * names.
   */
  #totalOf(loadedBytes: number): number | null {
    return this.#knownBytes === null || loadedBytes > this.#knownBytes ? null : this.#knownBytes;
  }
}

import { type ExecutionProvider, type RuntimeBuild } from "../../transport/providers.js";
import { chooseBuild, isReduced, supports } from "../../transport/runtime-builds.js";
import type { ByteProgress, LoadRequest } from "../../transport/protocol.js";
import type { DeviceFinder } from "./device.js";
import { entryOf, loadRuntime, type Runtime, type ReportRuntimeBytes } from "./runtime-handover.js";

/** An ONNX model that returns its only input, one number: `y = Identity(x)`, IR version 8, opset 13. */
const MINIMAL_MODEL = "CAg6NwoQCgF4EgF5IghJZGVudGl0eRIBZ1oPCgF4EgoKCAgBEgQKAggBYg8KAXkSCgoICAESBAoCCAFCAhAN";

/** A build that is loaded. */
export interface StartedRuntime {
  readonly runtime: Runtime;
  readonly build: RuntimeBuild;
}

/** A request whose number of threads is decided. */
export type DecidedRequest = LoadRequest & { readonly numThreads: number };

/**
 * Starts ONNX Runtime while the model is still downloading. To fetch, compile and start its WebAssembly takes longer
 * than all other steps of loading a small model, and as long as the download of many large ones. Creating a session is
 * the only way to start it, so this class creates one of a minimal model. It never releases that session, because
 * releasing a session may destroy the GPU device.
 */
export class EarlyRuntime {
  readonly #request: DecidedRequest;
  readonly #findDevice: DeviceFinder;
  readonly #isPlain: Promise<boolean>;
  readonly #end: AbortSignal | null;
  /** Builds that the model needs besides the one that was started early. */
  readonly #others = new Map<RuntimeBuild, Promise<StartedRuntime>>();
  /** The builds that are being compiled. */
  readonly #compiling = new Set<Promise<StartedRuntime>>();
  readonly #started: Promise<StartedRuntime | null>;
  #bytes: ByteProgress = { loadedBytes: 0, totalBytes: null };
  #report: ReportRuntimeBytes = () => undefined;

  /**
   * Starts ONNX Runtime for the first provider in the request that this browser supports.
   * @param isPlain whether the model runs only in the build without a GPU. A build with one waits for it.
   * @param end after it, no build starts; `null` if there is none
   */
  constructor(request: DecidedRequest, findDevice: DeviceFinder, isPlain: Promise<boolean>, end: AbortSignal | null) {
    this.#request = request;
    this.#end = end;
    this.#findDevice = findDevice;
    this.#isPlain = isPlain;
    this.#started = this.#start();
    // `for` reports the error.
    this.#started.catch(() => undefined);
  }

  /** Reports how much of the WebAssembly has arrived, until all of it has, or until the start has ended. */
  async arrival(report: ReportRuntimeBytes): Promise<void> {
    if (isComplete(this.#bytes)) return;
    report(this.#bytes);
    const complete = new Promise<void>((resolve) => {
      this.#report = (bytes) => {
        report(bytes);
        if (isComplete(bytes)) resolve();
      };
    });
    await Promise.race([complete, this.#started.catch(() => undefined)]);
    this.#report = () => undefined;
  }

  /** Calls `onStarted` before anything else runs in ONNX Runtime, or `onBroken` if it cannot start. */
  whenStarted(onStarted: () => void, onBroken: () => void): void {
    void this.#started.then(onStarted, onBroken);
  }

  /**
   * Returns the runtime for a provider, started or not. Only this class may use the runtime until the promise resolves.
   *
   * @param isPlain whether the model runs only in the build without a GPU
   * @param onBytes called while the WebAssembly of another build than the one that was started early arrives
   * @throws the error of a failed start
   */
  async for(
    provider: ExecutionProvider,
    isPlain: boolean,
    onBytes: ReportRuntimeBytes = () => undefined,
  ): Promise<StartedRuntime> {
    const started = await (isPlain ? this.#started.catch(() => null) : this.#started);
    if (started !== null && (isPlain ? started.build === "wasm" : supports(started.build, provider))) return started;
    const build = isPlain ? "wasm" : chooseBuild(provider, this.#request);
    // A script that is imported again does not run again.
    const other = this.#others.get(build) ?? this.#startBuild(build, provider, onBytes);
    this.#others.set(build, other);
    return other;
  }

  /**
   * Resolves when the builds that are being compiled are, or have failed. No others compile WebAssembly here. A worker
   * must not end before, nor abort the download: in Firefox 140, the tab may then compile nothing more.
   */
  async settled(): Promise<void> {
    while (this.isCompiling) await Promise.allSettled(this.#compiling);
  }

  get isCompiling(): boolean {
    return this.#compiling.size > 0;
  }

  async #start() {
    for (const provider of this.#request.providers) {
      if ("missing" in (await this.#findDevice(provider))) continue;
      const build = await this.#buildFor(provider);
      if (build === null) continue;
      const onBytes: ReportRuntimeBytes = (bytes) => {
        this.#bytes = bytes;
        this.#report(bytes);
      };
      const started = this.#startBuild(build, provider, onBytes);
      // A build that was chosen for the GPU's sake must not keep a model from WebAssembly.
      const mayBePlain = build !== "wasm" && supports("wasm", provider);
      return mayBePlain ? started.catch(() => this.#startBuild("wasm", provider)) : started;
    }
    return null;
  }

  /** Returns the build to start for a provider; `null` if the model does not run there. */
  async #buildFor(provider: ExecutionProvider): Promise<RuntimeBuild | null> {
    const build = chooseBuild(provider, this.#request);
    if (!isReduced(build) || !(await this.#isPlain)) return build;
    return supports("wasm", provider) ? "wasm" : null;
  }

  #startBuild(build: RuntimeBuild, provider: ExecutionProvider, onBytes?: ReportRuntimeBytes) {
    const start = this.#createSession(build, provider, onBytes);
    this.#compiling.add(start);
    const forget = () => void this.#compiling.delete(start);
    // This runs before the code that waits for the build, which may start another one.
    start.then(forget, forget);
    return start;
  }

  async #createSession(build: RuntimeBuild, provider: ExecutionProvider, onBytes?: ReportRuntimeBytes) {
    this.#end?.throwIfAborted();
    const runtime = await loadRuntime(build, this.#request, onBytes);
    const bytes = Uint8Array.from(atob(MINIMAL_MODEL), (character) => character.charCodeAt(0));
    await runtime.InferenceSession.create(bytes, { executionProviders: [entryOf(provider, this.#request)] });
    return { build, runtime };
  }
}

function isComplete({ loadedBytes, totalBytes }: ByteProgress): boolean {
  return loadedBytes === totalBytes;
}

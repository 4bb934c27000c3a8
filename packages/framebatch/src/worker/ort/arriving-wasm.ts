import type { ByteProgress } from "../../transport/protocol.js";

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

  /** Returns `null` while the size is not known. More bytes than expected belong to another file, which `wasmPaths` names. */
  #totalOf(loadedBytes: number): number | null {
    return this.#knownBytes === null || loadedBytes > this.#knownBytes ? null : this.#knownBytes;
  }
}

import { expose, transfer } from "comlink";
import { createOrtRunner, type OrtBackend, type OrtRunner, type RunOutput } from "./ort-session.js";
import type { PeerHost } from "./peer-host.js";
import type { BenchTensor } from "./tensors.js";
import { watchWasmMemory } from "./wasm-memory.js";

const wasmBytes = watchWasmMemory();

/** A worker as an application without framebatch would write it: a session behind Comlink, one run at a time. */
class PeerWorker implements PeerHost {
  #runner: OrtRunner | null = null;
  #last: Promise<unknown> = Promise.resolve();

  async open(url: string, backend: OrtBackend): Promise<void> {
    this.#runner = await createOrtRunner(url, backend);
  }

  /** Runs batches one after the other, since two concurrent runs on WebGPU hang the worker. */
  run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput> {
    const result = this.#last.then(() => this.#run(feeds));
    this.#last = result.catch(() => {});
    return result;
  }

  wasmBytes(): number {
    return wasmBytes();
  }

  async #run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput> {
    if (this.#runner === null) throw new Error("Expected an open session first.");
    const output = await this.#runner.run(feeds);
    return transfer(output, [output.data.buffer]);
  }
}

expose(new PeerWorker());

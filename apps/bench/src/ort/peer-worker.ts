import { expose, transfer } from "comlink";
import { createOrtRunner, type OrtBackend, type OrtRunner, type RunOutput } from "./ort-session.js";
import type { BenchTensor } from "./tensors.js";

/** A worker as an application without framebatch writes it: a session behind Comlink, one run at a time. */
export class PeerWorker {
  #runner: OrtRunner | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param url absolute */
  async open(url: string, backend: OrtBackend): Promise<void> {
    this.#runner = await createOrtRunner(url, backend);
  }

  /** Runs a batch, whose buffers are transferred, as the output's is. Two runs at once would hang a worker on WebGPU. */
  run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput> {
    const result = this.#last.then(() => this.#run(feeds));
    this.#last = result.catch(() => {});
    return result;
  }

  async #run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput> {
    if (this.#runner === null) throw new Error("Expected an open session first.");
    const output = await this.#runner.run(feeds);
    return transfer(output, [output.data.buffer]);
  }
}

expose(new PeerWorker());

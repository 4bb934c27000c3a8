import type { OrtBackend, RunOutput } from "./ort-session.js";
import type { BenchTensor } from "./tensors.js";

/** What the worker of a peer offers behind Comlink. */
export interface PeerHost {
  /** @param url absolute */
  open(url: string, backend: OrtBackend): Promise<void>;
  /** Runs a batch, whose buffers are transferred, as the output's is. */
  run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput>;
  /** WebAssembly memory of the worker, in bytes. */
  wasmBytes(): number;
}

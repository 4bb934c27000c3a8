import type { OrtBackend, RunOutput } from "./ort-session.js";
import type { BenchTensor } from "./tensors.js";

/** The interface that a peer's worker exposes through Comlink. */
export interface PeerHost {
  /** @param url an absolute URL */
  open(url: string, backend: OrtBackend): Promise<void>;
  /** Runs a batch. The buffers of the feeds and of the output are transferred. */
  run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput>;
  /** Returns the size of the worker's WebAssembly memory, in bytes. */
  wasmBytes(): number;
}

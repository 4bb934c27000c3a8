import type { WorkerNotice } from "../../transport/protocol.js";

/** Tells the page how much WebAssembly memory the worker has. */
export class MemoryReport {
  readonly #heapBytes: () => number;
  readonly #say: (notice: WorkerNotice) => void;
  #saidBytes = 0;

  /** @param heapBytes returns the size of the WebAssembly memory */
  constructor(heapBytes: () => number, say: (notice: WorkerNotice) => void) {
    this.#heapBytes = heapBytes;
    this.#say = say;
  }

  /** Sends the size if the memory has grown. It never shrinks. */
  report(): void {
    const bytes = this.#heapBytes();
    if (bytes === this.#saidBytes) return;
    this.#saidBytes = bytes;
    this.#say({ notice: "memory", bytes });
  }
}

import type { MemoryUse } from "../../transport/grouping.js";
import type { WorkerNotice } from "../../transport/protocol.js";

/** Tells the page how much WebAssembly memory a model has. */
export class MemoryReport {
  readonly #use: (fileBytes: number) => MemoryUse;
  readonly #say: (notice: WorkerNotice) => void;
  #fileBytes = 0;
  /** The sizes in the last notice, added up. */
  #saidBytes = 0;

  /** @param use returns the memory of a model with files of this size */
  constructor(use: (fileBytes: number) => MemoryUse, say: (notice: WorkerNotice) => void) {
    this.#use = use;
    this.#say = say;
  }

  /** @param fileBytes size of the model's files, once it is loaded */
  loaded(fileBytes: number): void {
    this.#fileBytes = fileBytes;
    this.report();
  }

  /** Sends the sizes if one has grown. None shrinks. */
  report(): void {
    const use = this.#use(this.#fileBytes);
    const bytes = use.bytes + (use.worker?.heapBytes ?? 0);
    if (bytes === this.#saidBytes) return;
    this.#saidBytes = bytes;
    this.#say({ notice: "memory", ...use });
  }
}

import type { MemoryUse } from "../../transport/grouping.js";
import type { WorkerNotice } from "../../transport/protocol.js";

/** Tells the page how much WebAssembly memory a model has. */
export class MemoryReport {
  readonly #heapBytes: () => number;
  readonly #share: ((fileBytes: number) => MemoryUse) | null;
  readonly #say: (notice: WorkerNotice) => void;
  #fileBytes = 0;
  /** The sizes in the last notice, added up. */
  #saidBytes = 0;

  /**
   * @param heapBytes returns the size of the WebAssembly memory
   * @param share returns the share in it of a model with files of this size; `null` if the model has all of it
   */
  constructor(
    heapBytes: () => number,
    share: ((fileBytes: number) => MemoryUse) | null,
    say: (notice: WorkerNotice) => void,
  ) {
    this.#heapBytes = heapBytes;
    this.#share = share;
    this.#say = say;
  }

  /** @param fileBytes size of the model's files, once it is loaded */
  loaded(fileBytes: number): void {
    this.#fileBytes = fileBytes;
    this.report();
  }

  /** Sends the sizes if one has grown. None shrinks. */
  report(): void {
    const use: MemoryUse = this.#share === null ? { bytes: this.#heapBytes() } : this.#share(this.#fileBytes);
    const bytes = use.bytes + (use.worker?.heapBytes ?? 0);
    if (bytes === this.#saidBytes) return;
    this.#saidBytes = bytes;
    this.#say({ notice: "memory", ...use });
  }
}

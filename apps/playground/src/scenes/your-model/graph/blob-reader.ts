/** How much of the file is in memory at a time, in bytes. */
const WINDOW_BYTES = 2 ** 18;

/** Reads a large file in small parts, at any place. */
export class BlobReader {
  readonly size: number;
  readonly #blob: Blob;
  #start = 0;
  #window = new Uint8Array();

  constructor(blob: Blob) {
    this.#blob = blob;
    this.size = blob.size;
  }

  /** Returns up to `length` bytes from `at` on; fewer at the end of the file. They are valid until the next call. */
  async bytes(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, at + length);
    if (at < this.#start || end > this.#start + this.#window.length) {
      this.#window = new Uint8Array(await this.#blob.slice(at, at + Math.max(length, WINDOW_BYTES)).arrayBuffer());
      this.#start = at;
    }
    return this.#window.subarray(at - this.#start, end - this.#start);
  }
}

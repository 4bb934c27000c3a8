/** Memory of the simulated GPU. */
export class GpuBuffer {
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly #onMap: () => Promise<void>;
  readonly #onDestroyed: () => void;
  #isDestroyed = false;
  #isMapped = false;

  /** @param onMap resolves when the GPU has done what it was asked before; rejects if it is lost */
  constructor(size: number, onMap: () => Promise<void>, onDestroyed: () => void) {
    this.size = size;
    this.bytes = new Uint8Array(size);
    this.#onMap = onMap;
    this.#onDestroyed = onDestroyed;
  }

  /** Returns the bytes of a range. @throws when the buffer was destroyed, or the range is not in it */
  range(start: number, length: number): Uint8Array {
    if (this.#isDestroyed) throw new Error(`expected a buffer of the GPU, got one that was destroyed`);
    if (start % 4 !== 0 || length % 4 !== 0 || start + length > this.size)
      throw new RangeError(`expected words within ${this.size} bytes, got ${length} from ${start}`);
    return this.bytes.subarray(start, start + length);
  }

  async mapAsync(): Promise<void> {
    await this.#onMap();
    this.#isMapped = true;
  }

  getMappedRange(): ArrayBuffer {
    if (!this.#isMapped) throw new Error("expected a mapped buffer");
    return this.bytes.slice().buffer;
  }

  destroy(): void {
    if (!this.#isDestroyed) this.#onDestroyed();
    this.#isDestroyed = true;
  }
}

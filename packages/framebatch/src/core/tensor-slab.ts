/**
 * Memory for many small snapshots. An `ArrayBuffer` of its own costs an allocation outside the JavaScript heap, several times
 * what a view of a common one costs, and the garbage collector pays again. No byte is handed out twice: a snapshot stays as it
 * is for as long as anyone holds it, and the slab goes when the last of its snapshots does.
 */
export class Slab {
  #buffer = new ArrayBuffer(0);
  #used = 0;

  /** The memory that the last `reserve` took from. */
  get buffer(): ArrayBuffer {
    return this.#buffer;
  }

  /** Takes `byteLength` bytes of zeros, at most `LARGEST_SHARE`, and returns where they start. */
  reserve(byteLength: number): number {
    const end = this.#used + byteLength;
    if (end <= this.#buffer.byteLength) {
      const start = this.#used;
      this.#used = aligned(end);
      return start;
    }
    this.#buffer = new ArrayBuffer(SLAB_BYTES);
    this.#used = aligned(byteLength);
    return 0;
  }
}

const SLAB_BYTES = 65536;

/** Larger snapshots are worth a buffer of their own, and would waste the rest of a slab. */
export const LARGEST_SHARE = 8192;

/** Every typed array may start at a multiple of eight. */
function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

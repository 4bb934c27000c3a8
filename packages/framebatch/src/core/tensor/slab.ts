import type { TensorData } from "./tensor.js";

/** Memory for snapshots, and how many of them are in use. */
interface Chunk {
  readonly buffer: ArrayBuffer;
  used: number;
  live: number;
}

/**
 * Memory for many small snapshots. An `ArrayBuffer` of its own costs an allocation outside the JavaScript heap, several times
 * what a view of a common one costs, and the garbage collector pays again. So a chunk is used again once every snapshot in it
 * has been released; one that has a snapshot which nobody releases goes to the garbage collector with the last of them.
 */
export class Slab {
  readonly #chunks = new WeakMap<ArrayBufferLike, Chunk>();
  readonly #spare: Chunk[] = [];
  #current = this.#newChunk();

  /** The memory that the last `reserve` took from. */
  get buffer(): ArrayBuffer {
    return this.#current.buffer;
  }

  /** Takes `byteLength` bytes, at most `LARGEST_SHARE` and of any content, and returns where they start. */
  reserve(byteLength: number): number {
    if (this.#current.used + byteLength > CHUNK_BYTES) this.#advance();
    const chunk = this.#current;
    const start = chunk.used;
    chunk.used = aligned(start + byteLength);
    chunk.live += 1;
    return start;
  }

  /** Takes back snapshots that nobody will look at again. Others are left alone. */
  release(snapshots: Iterable<TensorData | null>): void {
    let chunk = this.#current;
    for (const snapshot of snapshots) {
      if (snapshot === null || !("buffer" in snapshot)) continue;
      const { buffer } = snapshot;
      if (buffer !== chunk.buffer) {
        const other = this.#chunks.get(buffer);
        if (other === undefined) continue;
        chunk = other;
      }
      chunk.live -= 1;
      if (chunk.live === 0) this.#recycle(chunk);
    }
  }

  #advance(): void {
    this.#current = this.#spare.pop() ?? this.#newChunk();
  }

  #newChunk(): Chunk {
    const chunk = { buffer: new ArrayBuffer(CHUNK_BYTES), used: 0, live: 0 };
    this.#chunks.set(chunk.buffer, chunk);
    return chunk;
  }

  #recycle(chunk: Chunk): void {
    chunk.used = 0;
    if (chunk !== this.#current && this.#spare.length < MOST_SPARE) this.#spare.push(chunk);
  }
}

const CHUNK_BYTES = 65536;

/** Chunks that are kept for later use. */
const MOST_SPARE = 4;

/** Larger snapshots are worth a buffer of their own, and would waste the rest of a chunk. */
export const LARGEST_SHARE = 8192;

/** Every typed array may start at a multiple of eight. */
function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

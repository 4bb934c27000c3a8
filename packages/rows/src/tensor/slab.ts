import type { TensorData } from "./tensor.js";

/** Shared memory for snapshots. `used` counts bytes, `live` counts snapshots in use. */
interface Chunk {
  readonly buffer: ArrayBuffer;
  used: number;
  live: number;
}

/**
 * Allocates memory for many small snapshots. A separate `ArrayBuffer` for each would cost an allocation outside the
 * JavaScript heap, which takes several times as long as a view of a shared one, and adds work for the garbage
 * collector. A chunk is reused once all of its snapshots have been released. If a snapshot is never released, the
 * garbage collector frees the chunk with the last of its snapshots.
 */
export class Slab {
  readonly #chunks = new WeakMap<ArrayBufferLike, Chunk>();
  readonly #spare: Chunk[] = [];
  #current = this.#newChunk();

  /** The buffer that the last `reserve` used. */
  get buffer(): ArrayBuffer {
    return this.#current.buffer;
  }

  /** Reserves `byteLength` bytes, at most `MAX_SHARE_BYTES`, and returns their offset. Their content is undefined. */
  reserve(byteLength: number): number {
    if (this.#current.used + byteLength > CHUNK_BYTES) this.#advance();
    const chunk = this.#current;
    const start = chunk.used;
    chunk.used = aligned(start + byteLength);
    chunk.live += 1;
    return start;
  }

  /** Releases snapshots that will not be read again. Ignores arrays that are not in a chunk. */
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
    if (chunk !== this.#current && this.#spare.length < MAX_SPARE_CHUNKS) this.#spare.push(chunk);
  }
}

const CHUNK_BYTES = 65536;

/** Maximum number of unused chunks kept for reuse. */
const MAX_SPARE_CHUNKS = 4;

/**
 * Maximum size of a snapshot in a chunk, in bytes. A larger one gets its own buffer, because it would waste the rest of
 * a chunk.
 */
export const MAX_SHARE_BYTES = 8192;

/** Rounds up to a multiple of eight, a valid offset for every typed array. */
function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

import type { TensorElement } from "./element-types.js";
import type { TensorData } from "./tensor.js";

/** Shared memory for snapshots. `used` counts bytes, `live` counts snapshots in use. */
interface Chunk {
  readonly buffer: ArrayBuffer;
  used: number;
  live: number;
}

/** A class of typed arrays. */
interface ArrayClass<Elements> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): Elements;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Elements;
}

/**
 * Copies elements into memory that framebatch owns, and allocates that for many small snapshots. A separate
 * `ArrayBuffer` for each would cost an allocation outside the JavaScript heap, which takes several times as long as a
 * view of a shared one, and adds work for the garbage collector. A chunk is reused once all of its snapshots have been
 * released. If a snapshot is never released, the garbage collector frees the chunk with the last of its snapshots.
 */
export class Slab {
  readonly #chunks = new WeakMap<ArrayBufferLike, Chunk>();
  readonly #spare: Chunk[] = [];
  #current = this.#newChunk();

  /** Copies `source`, see `Intake`. */
  take(element: TensorElement, source: unknown, length: number): TensorData | null {
    return element.copy(source, length, this);
  }

  /** Returns an array for a snapshot. Its content is undefined. */
  array<Elements>(Class: ArrayClass<Elements>, length: number): Elements {
    const byteLength = length * Class.BYTES_PER_ELEMENT;
    if (byteLength > MAX_SHARE_BYTES) return new Class(length);
    if (this.#current.used + byteLength > CHUNK_BYTES) this.#advance();
    const chunk = this.#current;
    const start = chunk.used;
    chunk.used = Math.ceil((start + byteLength) / ALIGNMENT) * ALIGNMENT;
    chunk.live += 1;
    return new Class(chunk.buffer, start, length);
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
      if (chunk.live > 0) continue;
      chunk.used = 0;
      if (chunk !== this.#current && this.#spare.length < MAX_SPARE_CHUNKS) this.#spare.push(chunk);
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
}

/** Size of a chunk, in bytes. */
const CHUNK_BYTES = 65536;

/** Maximum number of unused chunks kept for reuse. */
const MAX_SPARE_CHUNKS = 4;

/**
 * Maximum size of a snapshot in a chunk, in bytes. A larger one gets its own buffer, because it would waste the rest of
 * a chunk.
 */
export const MAX_SHARE_BYTES = 8192;

/** A valid offset for every typed array is a multiple of this. */
const ALIGNMENT = 8;

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { canDigest, PIECE_BYTES, PieceDigest } from "../../store/digest.js";

/** A file that has arrived. */
export interface CollectedFile {
  readonly blob: Blob;
  /** See `PieceDigest`; `null` if the page may not compute digests. */
  readonly sha256: string | null;
}

/**
 * Collects a file that arrives in chunks, and digests it meanwhile. The browser takes the chunks from a stream into a
 * process of its own, or to disk, which takes a fifth less time than a Blob of each piece.
 * @throws the error of `chunks`
 * @throws MODEL_TOO_LARGE when the browser takes no more: Chromium keeps 2 GiB in a private window
 */
export async function collectFile(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void>): Promise<CollectedFile> {
  const digest = canDigest() ? new ChunkDigest() : null;
  const failures: unknown[] = [];
  let bytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      bytes += value.byteLength;
      await digest?.write(value);
      controller.enqueue(value);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  try {
    const blob = await new Response(new ReadableStream({ pull }, { highWaterMark: 0 })).blob();
    return { blob, sha256: (await digest?.end()) ?? null };
  } catch (error) {
    // A response may replace the error of its stream.
    throw failures[0] ?? noRoom(bytes, error);
  }
}

function noRoom(bytes: number, cause: unknown): FramebatchError {
  return new FramebatchError(
    "MODEL_TOO_LARGE",
    `expected room for a file in the browser, got none after ${bytes} bytes; free space on the device, leave the private window, or divide the weights into several files`,
    { cause, details: { bytes } },
  );
}

/** Divides chunks into pieces. */
class ChunkDigest {
  readonly #digest = new PieceDigest();
  #piece = new Uint8Array(0);
  #filled = 0;

  async write(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.byteLength;) {
      const part = chunk.subarray(from, from + PIECE_BYTES - this.#filled);
      this.#grow(this.#filled + part.byteLength);
      this.#piece.set(part, this.#filled);
      this.#filled += part.byteLength;
      from += part.byteLength;
      if (this.#filled === PIECE_BYTES) await this.#endPiece();
    }
  }

  async end(): Promise<string> {
    if (this.#filled > 0) await this.#endPiece();
    return this.#digest.end();
  }

  /** Most models are far smaller than a piece, and to clear memory takes time. */
  #grow(bytes: number): void {
    if (bytes <= this.#piece.byteLength) return;
    const grown = new Uint8Array(Math.min(PIECE_BYTES, Math.max(bytes, 4 * this.#filled)));
    grown.set(this.#piece.subarray(0, this.#filled));
    this.#piece = grown;
  }

  #endPiece(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#filled);
    this.#filled = 0;
    return this.#digest.add(piece);
  }
}

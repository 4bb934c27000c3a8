import { canDigest, PIECE_BYTES, PieceDigest } from "../../store/digest.js";

/** A file that has arrived. */
export interface ArrivedFile {
  readonly blob: Blob;
  /** See `PieceDigest`; `null` if the page may not compute digests. */
  readonly sha256: string | null;
}

/**
 * Collects a file that arrives in chunks, and digests it meanwhile. Only the current piece is in the heap: the browser
 * keeps the others as Blobs, in a process of its own or on disk.
 */
export class ArrivingFile {
  readonly #digest = canDigest() ? new PieceDigest() : null;
  readonly #piece = new Uint8Array(PIECE_BYTES);
  readonly #blobs: Blob[] = [];
  #filled = 0;

  async write(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.byteLength;) {
      const part = chunk.subarray(from, from + PIECE_BYTES - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.byteLength;
      from += part.byteLength;
      if (this.#filled === PIECE_BYTES) await this.#endPiece();
    }
  }

  async end(): Promise<ArrivedFile> {
    if (this.#filled > 0) await this.#endPiece();
    return { blob: new Blob(this.#blobs), sha256: (await this.#digest?.end()) ?? null };
  }

  /** Both the Blob and the digest copy the piece at once. */
  async #endPiece(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#filled);
    this.#filled = 0;
    this.#blobs.push(new Blob([piece]));
    await this.#digest?.add(piece);
  }
}

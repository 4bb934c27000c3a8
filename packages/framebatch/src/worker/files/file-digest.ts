import { canDigest, PIECE_BYTES, pieceDigestOf } from "../../store/digest.js";

/**
 * What identifies a file, see `pieceDigestOf`. Computed when it is first asked for: 440 MB take 3 s, and ONNX Runtime
 * takes as much longer to read the file meanwhile. So nobody asks before the model is loaded, unless an option names a
 * digest or the file is small.
 */
export class FileDigest {
  readonly #blob: Blob | null;
  #known: string | null;
  #coming: Promise<string | null> | null = null;

  /** @param blob `null` if the digest is not to be computed @param known `null` if it is not known */
  constructor(blob: Blob | null, known: string | null) {
    this.#blob = canDigest() ? blob : null;
    this.#known = known;
  }

  /**
   * Returns the digest of a file, computed already if that takes less than a tenth of a second: what depends on it need
   * not wait then.
   */
  static async of(blob: Blob, known: string | null = null): Promise<FileDigest> {
    const digest = new FileDigest(blob, known);
    if (blob.size <= PIECE_BYTES) await digest.compute();
    return digest;
  }

  /** `null` if it was not computed. */
  get known(): string | null {
    return this.#known;
  }

  /** Whether it was not computed, and can be. */
  get isPending(): boolean {
    return this.#known === null && this.#blob !== null;
  }

  /** Resolves with `null` if it cannot be computed, or is not to be. Never rejects. */
  compute(): Promise<string | null> {
    const blob = this.#blob;
    if (this.#known !== null || blob === null) return Promise.resolve(this.#known);
    return (this.#coming ??= pieceDigestOf(blob).then(
      (digest) => (this.#known = digest),
      () => null,
    ));
  }
}

import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

type DigestAlgorithm = "sha256" | "sha384" | "sha512";

/** Maximum size of a file that is read whole for its standard digest, in bytes. */
const WHOLE_BYTES = 2 ** 26;

/** Returns true if this page can compute digests. Browsers allow it only over https and on localhost. */
export function canDigest(): boolean {
  return "subtle" in crypto;
}

/**
 * Returns the standard digest of a file in base64. Of a large file, reads a piece at a time and computes in JavaScript,
 * which takes about six times as long.
 * @throws MODEL_INTEGRITY when the page has no secure context
 */
export async function digestOf(file: Blob, algorithm: DigestAlgorithm): Promise<string> {
  if (!canDigest()) {
    throw new FramebatchError(
      "MODEL_INTEGRITY",
      "expected a page that may compute digests, got one without a secure context; serve it from https or localhost",
    );
  }
  if (file.size <= WHOLE_BYTES) {
    return base64(await crypto.subtle.digest(algorithm.replace("sha", "SHA-"), await file.arrayBuffer()));
  }
  const hash = { sha256, sha384, sha512 }[algorithm].create();
  for await (const piece of piecesOf(file)) hash.update(new Uint8Array(piece));
  return base64(hash.digest());
}

/** Size of the pieces in which files are written, read and digested, in bytes: see `pieceDigestOf`. */
export const PIECE_BYTES = 2 ** 23;

/** Begins the digest of a file of several pieces. */
export const OF_PIECES = "pieces-";

/** Returns true if a text looks like the digest of a file of this size. */
export function isPieceDigest(text: string, bytes: number): boolean {
  const isOfPieces = text.startsWith(OF_PIECES);
  return (
    isOfPieces === bytes > PIECE_BYTES && /^[A-Za-z0-9+/]{43}=$/.test(text.slice(isOfPieces ? OF_PIECES.length : 0))
  );
}

/**
 * Reads a file piece by piece and returns what identifies it: of one piece, its SHA-256 in base64; of several,
 * `pieces-` and the SHA-256 of their digests, because browsers compute no standard digest of a file piece by piece.
 * Rejects if the browser cannot read the file. Reads a piece while the one before is digested, so that two are in
 * memory.
 */
export async function pieceDigestOf(file: Blob): Promise<string> {
  const digests: ArrayBuffer[] = [];
  let last = Promise.resolve(0);
  for await (const piece of piecesOf(file)) {
    await last;
    last = crypto.subtle.digest("SHA-256", piece).then((digest) => digests.push(digest));
  }
  await last;
  const [only, ...others] = digests;
  if (only === undefined) return base64(await crypto.subtle.digest("SHA-256", new Uint8Array()));
  if (others.length === 0) return base64(only);
  return OF_PIECES + base64(await crypto.subtle.digest("SHA-256", await new Blob(digests).arrayBuffer()));
}

/** Reads a file piece by piece. */
async function* piecesOf(file: Blob): AsyncGenerator<ArrayBuffer> {
  for (let from = 0; from < file.size; from += PIECE_BYTES) {
    yield await file.slice(from, from + PIECE_BYTES).arrayBuffer();
  }
}

/** Returns bytes in base64. */
function base64(bytes: ArrayBuffer | Uint8Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

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

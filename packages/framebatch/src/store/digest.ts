import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { base64, piecesOf } from "./piece-digest.js";

export type DigestAlgorithm = "sha256" | "sha384" | "sha512";

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

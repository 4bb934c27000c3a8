import { FramebatchError } from "../core/errors.js";

export type DigestAlgorithm = "sha256" | "sha384" | "sha512";

/** Returns true if this page can compute digests. Browsers allow it only over https and on localhost. */
export function canDigest(): boolean {
  return "subtle" in crypto;
}

/** Returns the digest in base64. @throws MODEL_INTEGRITY when the page has no secure context */
export async function digestOf(bytes: ArrayBuffer, algorithm: DigestAlgorithm): Promise<string> {
  if (!canDigest()) {
    throw new FramebatchError(
      "MODEL_INTEGRITY",
      "expected a page that may compute digests, got one without a secure context; serve it from https or localhost",
    );
  }
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm.replace("sha", "SHA-"), bytes));
  return btoa(String.fromCharCode(...digest));
}

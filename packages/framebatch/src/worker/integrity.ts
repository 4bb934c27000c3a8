import { FramebatchError } from "../core/errors.js";
import { digestOf } from "../store/digest.js";

/** Weakest first: where several are given, only the strongest kind counts, as in HTML. */
const ALGORITHMS = ["sha256", "sha384", "sha512"] as const;

/**
 * Checks bytes against a list of digests as in HTML's `integrity`: "sha384-… sha384-…".
 *
 * @throws MODEL_INTEGRITY where no digest of the strongest kind fits, or where the page may not compute one.
 */
export async function checkIntegrity(bytes: ArrayBuffer, integrity: string): Promise<void> {
  const digests = integrity.trim().split(/\s+/);
  const algorithm = ALGORITHMS.findLast((name) => digests.some((digest) => digest.startsWith(`${name}-`))) ?? "sha256";
  const got = `${algorithm}-${await digestOf(bytes, algorithm)}`;
  if (digests.some((digest) => digest.split("?")[0] === got)) return;
  throw new FramebatchError(
    "MODEL_INTEGRITY",
    `expected a model with the digest ${integrity}, got ${got}; the file at the address is another one`,
    { details: { expected: integrity, got, bytes: bytes.byteLength } },
  );
}

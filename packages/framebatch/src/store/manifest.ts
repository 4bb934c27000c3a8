import { isPieceDigest } from "./piece-digest.js";

/** Metadata of a stored model. Written only after the bytes, so a manifest implies a complete file. */
export interface Manifest {
  /** Version of this structure. Entries of another version are downloaded again. */
  readonly version: 2;
  readonly bytes: number;
  /** See `PieceDigest`. Checked at every read, because a corrupted model often loads and returns wrong numbers. */
  readonly sha256: string;
  /** Identifies the file's version: ETag, date and length. `null` if the server sends neither ETag nor date. */
  readonly validator: string | null;
  /** Milliseconds since 1970. */
  readonly storedAtMs: number;
  readonly lastUsedAtMs: number;
}

/** A stored model and the address that it was downloaded from. */
export interface Entry {
  readonly url: string;
  readonly manifest: Manifest;
}

/** Returns true for a valid manifest. An older version of this code, or another script, may have written the value. */
export function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const { version, bytes, sha256, validator, storedAtMs, lastUsedAtMs } = { ...NO_BYTES, ...value };
  return (
    version === 2 &&
    isCount(bytes) &&
    typeof sha256 === "string" &&
    isPieceDigest(sha256, bytes) &&
    (validator === null || typeof validator === "string") &&
    isCount(storedAtMs) &&
    isCount(lastUsedAtMs)
  );
}

type Unchecked = { readonly [Field in keyof Manifest]: unknown };

const NO_BYTES: Unchecked = {
  version: undefined,
  bytes: undefined,
  sha256: undefined,
  validator: undefined,
  storedAtMs: undefined,
  lastUsedAtMs: undefined,
};

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

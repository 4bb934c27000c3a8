/** What is known of a stored model without reading it. Written with the bytes, so a manifest means a whole file. */
export interface Manifest {
  /** Of this structure; entries of another version are downloaded again. */
  readonly version: 2;
  readonly bytes: number;
  /** In base64; checked at every read, since a corrupted model often loads and gives other numbers. */
  readonly sha256: string;
  /** Tells versions of the file apart: its ETag, date and length. `null` where the server told none. */
  readonly validator: string | null;
  /** Milliseconds since 1970. */
  readonly storedAtMs: number;
  readonly lastUsedAtMs: number;
}

/** A stored model, by the address that it came from. */
export interface Entry {
  readonly url: string;
  readonly manifest: Manifest;
}

/** What lies in the database may be of an older version of this code, or of somebody else. */
export function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const { version, bytes, sha256, validator, storedAtMs, lastUsedAtMs } = { ...NOTHING, ...value };
  return (
    version === 2 &&
    isCount(bytes) &&
    typeof sha256 === "string" &&
    /^[A-Za-z0-9+/]{43}=$/.test(sha256) &&
    (validator === null || typeof validator === "string") &&
    isCount(storedAtMs) &&
    isCount(lastUsedAtMs)
  );
}

type Unchecked = { readonly [Field in keyof Manifest]: unknown };

const NOTHING: Unchecked = {
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

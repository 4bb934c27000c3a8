import type { Entry } from "./manifest.js";

/** Models are kept in at most so many bytes, or in this share of what the browser grants the origin, whichever is less. */
const MAX_BYTES = 2 ** 31;
const MAX_SHARE = 0.25;

/** Bytes that stored models may take in all. */
export async function cacheBudget(): Promise<number> {
  // Not there in every browser, whatever the types say.
  const storage: StorageManager | undefined = navigator.storage;
  const quota = (await storage?.estimate())?.quota ?? Infinity;
  return Math.min(MAX_BYTES, Math.floor(quota * MAX_SHARE));
}

/** The entries that were not used for longest, as few as make `bytes` of room. */
export function leastRecentlyUsed(entries: readonly Entry[], bytes: number): Entry[] {
  const oldestFirst = entries.toSorted((a, b) => a.manifest.lastUsedAtMs - b.manifest.lastUsedAtMs);
  let freedBytes = 0;
  return oldestFirst.filter(({ manifest }) => {
    if (freedBytes >= bytes) return false;
    freedBytes += manifest.bytes;
    return true;
  });
}

export function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { manifest }) => sum + manifest.bytes, 0);
}

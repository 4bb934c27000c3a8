import type { Entry } from "./manifest.js";

/** Maximum size of all stored models, in bytes. */
const MAX_BYTES = 2 ** 31;

/** Maximum size of all stored models, as a share of the origin's storage quota. The smaller limit applies. */
const MAX_SHARE = 0.25;

/** Returns the maximum size of all stored models, in bytes. */
export async function cacheBudget(): Promise<number> {
  // Some browsers lack it, although the types declare it.
  const storage: StorageManager | undefined = navigator.storage;
  const quota = (await storage?.estimate())?.quota ?? Infinity;
  return Math.min(MAX_BYTES, Math.floor(quota * MAX_SHARE));
}

/** Returns the least recently used entries, no more than are needed to free `bytes`. */
export function leastRecentlyUsed(entries: readonly Entry[], bytes: number): Entry[] {
  const oldestFirst = entries.toSorted((a, b) => a.manifest.lastUsedAtMs - b.manifest.lastUsedAtMs);
  let freedBytes = 0;
  return oldestFirst.filter(({ manifest }) => {
    if (freedBytes >= bytes) return false;
    freedBytes += manifest.bytes;
    return true;
  });
}

export function storedBytes(entries: readonly Entry[]): number {
  return entries.reduce((sum, { manifest }) => sum + manifest.bytes, 0);
}

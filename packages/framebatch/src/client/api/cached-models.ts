import type { Deadline } from "@framebatch/host/deadline.js";
import { ModelCache } from "../../store/model-cache.js";
import { ModelDatabase } from "../../store/model-database.js";
import type { CachedModel } from "./cached-model.js";

/** Lists the files in the model cache, most recently used first. */
export function listModels(deadline: Deadline): Promise<CachedModel[]> {
  return withCache(async (cache) => {
    const entries = await cache.list(deadline);
    return entries
      .toSorted((a, b) => b.manifest.lastUsedAtMs - a.manifest.lastUsedAtMs)
      .map(({ url, manifest: { bytes, sha256, validator, storedAtMs, lastUsedAtMs } }) => ({
        url,
        bytes,
        storedAt: new Date(storedAtMs),
        lastUsedAt: new Date(lastUsedAtMs),
        validator,
        integrity: `sha256-${sha256}`,
      }));
  });
}

/** Removes the file at `url`, or all files with `null`. */
export function clearModels(url: string | null, deadline: Deadline): Promise<void> {
  return withCache(async (cache) => {
    if (url === null) return cache.clear(deadline);
    const entries = await cache.list(deadline);
    await cache.remove(
      entries.filter((entry) => entry.url === url),
      deadline,
    );
  });
}

/**
 * Runs `action` on the model cache and closes the database at once: in some browsers a page with an open connection
 * cannot enter the back/forward cache.
 */
async function withCache<T>(action: (cache: ModelCache) => Promise<T>): Promise<T> {
  const database = new ModelDatabase();
  try {
    return await action(new ModelCache(database));
  } finally {
    database.close();
  }
}

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { ModelCache } from "../../store/model-cache.js";
import { ModelDatabase } from "../../store/model-database.js";
import { Deadline } from "@framebatch/host/deadline.js";
import type { CachedModel } from "./cached-model.js";
import { modelUrl } from "../options/model-source.js";

/** Maximum time to wait for the cache to answer, in milliseconds. */
const CACHE_TIMEOUT_MS = 2000;

/** Implements `listCachedModels` of cached-model.ts. */
export function listModels(): Promise<CachedModel[]> {
  return withCache(async (cache, deadline) => {
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

/** Implements `clearModelCache` of cached-model.ts. */
export function clearModels(address?: string | URL): Promise<void> {
  const url = address === undefined ? null : modelUrl(address);
  return withCache(async (cache, deadline) => {
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
 * @throws CACHE_FAILED when `action` fails.
 */
async function withCache<T>(action: (cache: ModelCache, deadline: Deadline) => Promise<T>): Promise<T> {
  const database = new ModelDatabase();
  try {
    return await action(new ModelCache(database), new Deadline(CACHE_TIMEOUT_MS, hostTimer));
  } catch (error) {
    const text = error instanceof Error ? error.message || error.name : String(error);
    throw new FramebatchError(
      "CACHE_FAILED",
      `expected the model cache to answer, got a failure; models load without it (${text})`,
      { cause: error },
    );
  } finally {
    database.close();
  }
}

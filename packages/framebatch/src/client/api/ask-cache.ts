import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { modelUrl } from "../options/model-source.js";
import type { CachedModel } from "./cached-model.js";

/** Maximum time to wait for the cache to answer, in milliseconds. */
const CACHE_TIMEOUT_MS = 2000;

/**
 * The code that reads the cache. It imports nothing that a model imports too: what both import would be a file of its
 * own on the page of every model.
 */
type CacheCode = typeof import("./cached-models.js");

/** Does what `listCachedModels` does, with the code of `load`. */
export async function askForModels(load: () => Promise<CacheCode>): Promise<CachedModel[]> {
  const { listModels } = await load();
  return askCache(listModels);
}

/** Does what `clearModelCache` does, with the code of `load`. */
export async function askToClear(load: () => Promise<CacheCode>, address?: string | URL): Promise<void> {
  const { clearModels } = await load();
  const url = address === undefined ? null : modelUrl(address);
  return askCache((deadline) => clearModels(url, deadline));
}

/** @throws CACHE_FAILED when `action` fails. */
async function askCache<T>(action: (deadline: Deadline) => Promise<T>): Promise<T> {
  try {
    return await action(new Deadline(CACHE_TIMEOUT_MS, hostTimer));
  } catch (error) {
    const text = error instanceof Error ? error.message || error.name : String(error);
    throw new FramebatchError(
      "CACHE_FAILED",
      `expected the model cache to answer, got a failure; models load without it (${text})`,
      { cause: error },
    );
  }
}

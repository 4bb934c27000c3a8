import { keepFiles } from "../options/kept-options.js";
import { importOnDemand } from "./on-demand.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { modelUrl } from "../options/model-source.js";

/** A model, or an external file of weights, in the cache of this origin. */
export interface CachedModel {
  /** The full address of the file. Its query string may contain secrets, so check it before you show or log it. */
  readonly url: string;
  /** Size of the file, in bytes. */
  readonly bytes: number;
  /** When the file was downloaded and stored. */
  readonly storedAt: Date;
  /** When a model was last loaded from it. The least recently used file is evicted first. */
  readonly lastUsedAt: Date;
  /**
   * Identifies the version of the file: its ETag, date and length. `null` if the server sends neither an ETag nor a
   * date; the file is then downloaded each time.
   */
  readonly validator: string | null;
  /**
   * Digest of the bytes that the option `integrity` accepts: `sha256-` and base64; of a file above 8 MiB,
   * `sha256-pieces-` and the SHA-256 of the SHA-256 digests of its pieces of 8 MiB.
   */
  readonly integrity: string;
}

/**
 * Lists the files in the model cache, most recently used first.
 * @throws CACHE_FAILED when the cache fails or does not answer within 2 seconds; RUNTIME_LOAD_FAILED when framebatch's
 * own code cannot be loaded.
 * @example for (const { url, bytes } of await listCachedModels()) console.log(url, bytes);
 */
export async function listCachedModels(): Promise<CachedModel[]> {
  return askForModels(importCode);
}

/**
 * Removes one file from the model cache, or all files, and what was learned about their models. Models in use keep
 * running. A file that a model is still storing, shortly after its first answer, is stored all the same.
 * @param url address of the file, resolved against the page; without it, the whole cache is cleared
 * @throws INVALID_OPTION when `url` is not a valid address; CACHE_FAILED when the cache fails or does not answer within
 * 2 seconds; RUNTIME_LOAD_FAILED when framebatch's own code cannot be loaded.
 * @example await clearModelCache("/models/digits.onnx");
 */
export async function clearModelCache(url?: string | URL): Promise<void> {
  const address = keepFiles(url);
  return askToClear(importCode, address);
}

function importCode(): Promise<typeof import("./cached-models.js")> {
  return importOnDemand(() => import("./cached-models.js"));
}

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

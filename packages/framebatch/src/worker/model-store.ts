import { FramebatchError } from "../core/errors.js";
import type { ProgressNotice } from "../core/protocol.js";
import { checkIntegrity } from "./integrity.js";
import { ModelCache, type Manifest } from "./model-cache.js";
import { openDownload, type Download } from "./model-download.js";

export interface StoredModel {
  readonly bytes: ArrayBuffer;
  readonly fromCache: boolean;
  /** Settles once the cache holds the model, or has failed to take it. Never rejects. */
  readonly saved: Promise<void>;
}

export interface ModelStoreConfig {
  readonly cache: boolean;
  readonly integrity: string | null;
  readonly stallTimeoutMs: number;
  readonly onProgress: (progress: Pick<ProgressNotice, "phase" | "loadedBytes" | "totalBytes">) => void;
  /** Hears of what went wrong without harm: a broken cache, a network whose place the cache took. */
  readonly onWarning: (error: Error) => void;
}

/**
 * Finds a model's bytes: in the cache where it holds the version that the server has (or that `integrity` names), else on
 * the network. Trouble with the cache is a miss; a network or a server that fails gives way to the cache.
 */
export class ModelStore {
  readonly #config: ModelStoreConfig;
  readonly #cache: ModelCache | null;

  constructor(config: ModelStoreConfig) {
    this.#config = config;
    // Without a secure context no digest can be checked, and what cannot be checked is not trusted.
    this.#cache = config.cache && isSecureContext ? new ModelCache() : null;
  }

  /** @throws MODEL_NETWORK, MODEL_STATUS, MODEL_INVALID, MODEL_INTEGRITY. */
  async obtain(url: string): Promise<StoredModel> {
    const manifest = await this.#tolerate((cache) => cache.find(url));
    if (manifest === null) return this.#download(url, await this.#open(url));
    const pinned = this.#config.integrity === null ? null : await this.#readCache(url, manifest);
    return pinned ?? this.#revalidate(url, manifest);
  }

  /** Bytes that came with the request. */
  async accept(bytes: ArrayBuffer): Promise<StoredModel> {
    await this.#verify(bytes);
    return { bytes, fromCache: false, saved: Promise.resolve() };
  }

  async #revalidate(url: string, manifest: Manifest): Promise<StoredModel> {
    try {
      const download = await this.#open(url);
      if (manifest.validator === null || download.validator !== manifest.validator) {
        return await this.#download(url, download);
      }
      const cached = await this.#readCache(url, manifest);
      if (cached === null) return await this.#download(url, download);
      download.cancel();
      return cached;
    } catch (error) {
      const cached = isServerTrouble(error) ? await this.#readCache(url, manifest) : null;
      if (cached === null) throw error;
      this.#config.onWarning(error instanceof Error ? error : new Error(String(error)));
      return cached;
    }
  }

  #open(url: string): Promise<Download> {
    return openDownload(url, this.#config.stallTimeoutMs);
  }

  async #download(url: string, download: Download): Promise<StoredModel> {
    const blob = await download.read((loadedBytes, totalBytes) =>
      this.#config.onProgress({ phase: "download", loadedBytes, totalBytes }),
    );
    const bytes = await blob.arrayBuffer();
    await this.#verify(bytes);
    const saved = this.#tolerate((cache) => cache.write(url, blob, bytes, download.validator));
    return { bytes, fromCache: false, saved: saved.then(() => undefined) };
  }

  async #readCache(url: string, manifest: Manifest): Promise<StoredModel | null> {
    const bytes = await this.#tolerate((cache) => cache.read(url, manifest));
    if (bytes === null || !(await this.#isWanted(bytes))) return null;
    this.#config.onProgress({ phase: "cache", loadedBytes: bytes.byteLength, totalBytes: bytes.byteLength });
    return { bytes, fromCache: true, saved: Promise.resolve() };
  }

  async #isWanted(bytes: ArrayBuffer): Promise<boolean> {
    return this.#verify(bytes).then(
      () => true,
      () => false,
    );
  }

  async #verify(bytes: ArrayBuffer): Promise<void> {
    if (this.#config.integrity !== null) await checkIntegrity(bytes, this.#config.integrity);
  }

  /** What the cache says; `null` for a miss, for trouble, and where there is no cache. */
  async #tolerate<T>(ask: (cache: ModelCache) => Promise<T>): Promise<T | null> {
    if (this.#cache === null) return null;
    try {
      return await ask(this.#cache);
    } catch (error) {
      this.#config.onWarning(
        new Error("the model cache does not work here; the model is loaded without it", { cause: error }),
      );
      return null;
    }
  }
}

function isServerTrouble(error: unknown): boolean {
  if (!(error instanceof FramebatchError)) return false;
  return error.code === "MODEL_NETWORK" || (error.code === "MODEL_STATUS" && Number(error.details["status"]) >= 500);
}

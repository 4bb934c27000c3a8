import { clear, del, get, promisifyRequest, set } from "idb-keyval";
import { pieceDigestOf, isPieceDigest } from "./digest.js";
import { digestOfFactsKey, manifestKey, urlOfManifestKey, type ModelDatabase } from "./model-database.js";
import type { Deadline } from "@framebatch/host/deadline.js";

/**
 * Expected minimum rate of reading, digesting and writing, in bytes per millisecond. The time limits of these steps
 * grow with the size of the model at this rate.
 */
export const BYTES_PER_MS = 20_000;

/**
 * Pauses before each retry of a write that exceeded the quota, in milliseconds. Browsers free the space of deleted data
 * with a delay. The pauses grow because a rejected write has used space too, which the browser frees with the same
 * delay.
 */
const RECLAIM_PAUSES_MS = [1000, 3000, 6000];

/** A downloaded file. */
export interface ModelFile {
  readonly blob: Blob;
  readonly sha256: string;
  readonly validator: string | null;
}

/** Stored models by address. Every method may reject. Every method ends within the deadline that it is given. */
export class ModelCache {
  readonly #database: ModelDatabase;

  constructor(database: ModelDatabase) {
    this.#database = database;
  }

  async find(url: string, deadline: Deadline): Promise<Manifest | null> {
    const found = await deadline.wait(() => get<unknown>(manifestKey(url), this.#database.manifests));
    return isManifest(found) ? found : null;
  }

  /**
   * Returns the stored file, which the browser keeps outside the heap. If it is missing or damaged, returns `null` and
   * removes the model. Also returns `null` if another tab has replaced the model that the manifest describes.
   */
  async read(url: string, manifest: Manifest, deadline: Deadline): Promise<Blob | null> {
    const file = await deadline.wait(
      async () => validFile(await get<unknown>(url, this.#database.bytes), manifest),
      manifest.bytes / BYTES_PER_MS,
    );
    if (file === null) await this.#removeDamaged(url, manifest, deadline);
    return file;
  }

  /** Marks the model as just used, so that others are evicted first. */
  async touch(url: string, { sha256 }: Manifest, deadline: Deadline): Promise<void> {
    await deadline.wait(() =>
      this.#database.manifests("readwrite", async (store) => {
        const found: unknown = await promisifyRequest(store.get(manifestKey(url)));
        if (!isManifest(found) || found.sha256 !== sha256) return;
        store.put({ ...found, lastUsedAtMs: Date.now() } satisfies Manifest, manifestKey(url));
        await promisifyRequest(store.transaction);
      }),
    );
  }

  /**
   * Stores a complete model or nothing. First evicts models to keep the origin within its budget. Evicts more while the
   * browser rejects the write for lack of space, although its estimate had allowed it: the newest model takes
   * precedence. Returns the digest; `null` if another tab has cleared the cache in the meantime, so that the model is
   * not stored.
   */
  async write(url: string, { blob, sha256, validator }: ModelFile, deadline: Deadline): Promise<string | null> {
    await this.#makeRoom(url, blob.size, deadline);
    // Delete the old manifest first: it must never describe the new bytes.
    await deadline.wait(() => del(manifestKey(url), this.#database.manifests));
    const now = Date.now();
    const manifest: Manifest = { version: 2, bytes: blob.size, sha256, validator, storedAtMs: now, lastUsedAtMs: now };
    await this.#inRoomMade(() => this.#put(url, blob, deadline), url, blob.size, deadline);
    return (await deadline.wait(() => this.#admit(url, manifest))) ? sha256 : null;
  }

  list(deadline: Deadline): Promise<Entry[]> {
    return deadline.wait(() => this.#database.manifests("readonly", readEntries));
  }

  /** Removes models, their facts, and all data that belongs to no model. Returns the number of files removed. */
  async remove(entries: readonly Entry[], deadline: Deadline): Promise<number> {
    const gone = new Set(entries.map(({ url }) => url));
    return deadline.wait(() => this.#database.changeBoth((manifests, bytes) => deleteModels(manifests, bytes, gone)));
  }

  async clear(deadline: Deadline): Promise<void> {
    await deadline.wait(() => clear(this.#database.manifests));
    await deadline.wait(() => clear(this.#database.bytes));
  }

  /**
   * Writes the manifest, which makes the stored bytes a model. Returns false if the bytes are missing: another tab may
   * have removed them while they had no manifest.
   */
  #admit(url: string, manifest: Manifest): Promise<boolean> {
    return this.#database.changeBoth(async (manifests, bytes) => {
      if ((await promisifyRequest(bytes.getKey(url))) === undefined) return false;
      manifests.put(manifest, manifestKey(url));
      await promisifyRequest(manifests.transaction);
      return true;
    });
  }

  /** Removes a model, unless another tab has replaced it since its manifest was read, or is about to. */
  async #removeDamaged(url: string, { sha256, storedAtMs }: Manifest, deadline: Deadline): Promise<void> {
    await deadline.wait(() =>
      this.#database.changeBoth(async (manifests, bytes) => {
        const found = await promisifyRequest<unknown>(manifests.get(manifestKey(url)));
        const isSame = isManifest(found) && found.sha256 === sha256 && found.storedAtMs === storedAtMs;
        if (isSame) await deleteModels(manifests, bytes, new Set([url]));
      }),
    );
  }

  async #put(url: string, blob: Blob, deadline: Deadline): Promise<void> {
    const put = (value: Blob | ArrayBuffer) =>
      deadline.wait(() => set(url, value, this.#database.bytes), blob.size / BYTES_PER_MS);
    try {
      await put(blob);
    } catch (error) {
      if (isQuota(error) || !isRefusal(error)) throw error;
      // WebKit rejects Blobs where it stores nothing on disk, for example in a private window.
      await put(await blob.arrayBuffer());
    }
  }

  /** Calls `put`. Evicts the least recently used models and retries, until the browser has enough space. */
  async #inRoomMade(put: () => Promise<void>, url: string, bytes: number, deadline: Deadline): Promise<void> {
    for (let attempt = put; ; attempt = () => onceThereIsRoom(put, deadline)) {
      try {
        return await attempt();
      } catch (error) {
        const oldest = isQuota(error) ? leastRecentlyUsed(await this.#others(url, deadline), bytes) : [];
        // `remove` also deletes the leftovers of an older copy of this model, so it may free space even if there is no
        // other model.
        if (!isQuota(error) || (await this.remove(oldest, deadline)) === 0) throw error;
      }
    }
  }

  async #makeRoom(url: string, bytes: number, deadline: Deadline): Promise<void> {
    const budget = await deadline.wait(cacheBudget);
    if (bytes > budget) throw new Error(`the model has ${bytes} bytes, and the cache may hold ${budget} here`);
    const others = await this.#others(url, deadline);
    const excess = storedBytes(others) + bytes - budget;
    if (excess > 0) await this.remove(leastRecentlyUsed(others, excess), deadline);
  }

  async #others(url: string, deadline: Deadline): Promise<Entry[]> {
    return (await this.list(deadline)).filter((entry) => entry.url !== url);
  }
}

async function readEntries(store: IDBObjectStore): Promise<Entry[]> {
  const keys = await promisifyRequest(store.getAllKeys());
  const urls = keys.map(urlOfManifestKey).filter((url) => url !== null);
  const manifests = await Promise.all(urls.map((url) => promisifyRequest<unknown>(store.get(manifestKey(url)))));
  return urls.flatMap((url, index) => {
    const manifest = manifests[index];
    return isManifest(manifest) ? [{ url, manifest }] : [];
  });
}

/** Deletes models, their facts, and all data that belongs to no model. Returns the number of files deleted. */
async function deleteModels(
  manifests: IDBObjectStore,
  bytes: IDBObjectStore,
  gone: ReadonlySet<string>,
): Promise<number> {
  const kept = await deleteAllBut(manifests, gone);
  const count = await deleteWhere(bytes, (key) => typeof key !== "string" || !kept.has(key));
  await promisifyRequest(bytes.transaction);
  return count;
}

/** Deletes the manifests of `gone` and all facts that no kept model needs. Returns the addresses of the kept models. */
async function deleteAllBut(store: IDBObjectStore, gone: ReadonlySet<string>): Promise<Set<string>> {
  const kept = (await readEntries(store)).filter(({ url }) => !gone.has(url));
  const urls = new Set(kept.map(({ url }) => url));
  const digests = new Set(kept.map(({ manifest }) => manifest.sha256));
  await deleteWhere(store, (key) => {
    const [url, digest] = [urlOfManifestKey(key), digestOfFactsKey(key)];
    return !(url !== null && urls.has(url)) && !(digest !== null && digests.has(digest));
  });
  return urls;
}

/** Deletes the keys for which `isUnwanted` is true, when the transaction completes. Returns their number. */
async function deleteWhere(store: IDBObjectStore, isUnwanted: (key: IDBValidKey) => boolean): Promise<number> {
  const unwanted = (await promisifyRequest(store.getAllKeys())).filter(isUnwanted);
  for (const key of unwanted) store.delete(key);
  return unwanted.length;
}

/** Returns the file if it matches the manifest; `null` if it does not, or if the browser can no longer read it. */
async function validFile(found: unknown, manifest: Manifest): Promise<Blob | null> {
  const file = found instanceof ArrayBuffer ? new Blob([found]) : found;
  if (!(file instanceof Blob) || file.size !== manifest.bytes) return null;
  return (await pieceDigestOf(file).catch(() => null)) === manifest.sha256 ? file : null;
}

async function onceThereIsRoom(put: () => Promise<void>, deadline: Deadline): Promise<void> {
  let refusal: unknown = null;
  for (const ms of RECLAIM_PAUSES_MS) {
    await deadline.pause(ms);
    try {
      return await put();
    } catch (error) {
      if (!isQuota(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Returns true if IndexedDB itself refused. It gives no error, `null`, for a transaction in which a request failed. */
function isRefusal(error: unknown): boolean {
  return error === null || error instanceof DOMException;
}

function isQuota(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

/** Maximum size of all stored models, in bytes. */
const MAX_BYTES = 2 ** 31;

/** Maximum size of all stored models, as a share of the origin's storage quota. The smaller limit applies. */
const MAX_SHARE = 0.25;

/** Returns the maximum size of all stored models, in bytes. */
async function cacheBudget(): Promise<number> {
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

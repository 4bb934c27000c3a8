import { clear, del, get, promisifyRequest, set } from "idb-keyval";
import { digestOf } from "./digest.js";
import { bytesOf, cacheBudget, leastRecentlyUsed } from "./eviction.js";
import { digestOfFactsKey, manifestKey, urlOfManifestKey } from "./keys.js";
import { isManifest, type Entry, type Manifest } from "./manifest.js";
import type { ModelDatabase } from "./model-database.js";
import type { Deadline } from "../time/deadline.js";

/** Reading, digesting and writing gets more time for larger models: at least this rate, in bytes per millisecond. */
export const BYTES_PER_MS = 20_000;

/**
 * Browsers give the room of what was deleted back a little later: it is asked for after these pauses, in milliseconds. They grow
 * because a write that was refused has taken up room as well, which comes back as late.
 */
const RECLAIM_PAUSES_MS = [1000, 3000, 6000];

/** A file as it was downloaded. */
export interface ModelFile {
  readonly blob: Blob;
  readonly sha256: string;
  readonly validator: string | null;
}

/** Models by address. Every method may reject; none takes longer than the patience that it is given. */
export class ModelCache {
  readonly #database: ModelDatabase;

  constructor(database: ModelDatabase) {
    this.#database = database;
  }

  async find(url: string, patience: Deadline): Promise<Manifest | null> {
    const found = await patience.wait(() => get<unknown>(manifestKey(url), this.#database.manifests));
    return isManifest(found) ? found : null;
  }

  /** The bytes; `null` where they are gone, or not those that were stored. They are then thrown away. */
  async read(url: string, manifest: Manifest, patience: Deadline): Promise<ArrayBuffer | null> {
    const bytes = await patience.wait(
      async () => soundBytes(await get<unknown>(url, this.#database.bytes), manifest),
      manifest.bytes / BYTES_PER_MS,
    );
    if (bytes === null) await this.remove([{ url, manifest }], patience);
    return bytes;
  }

  /** Notes that the model was of use just now, so that others are evicted first. */
  async touch(url: string, { sha256 }: Manifest, patience: Deadline): Promise<void> {
    await patience.wait(() =>
      this.#database.manifests("readwrite", async (store) => {
        const found: unknown = await promisifyRequest(store.get(manifestKey(url)));
        if (!isManifest(found) || found.sha256 !== sha256) return;
        store.put({ ...found, lastUsedAtMs: Date.now() } satisfies Manifest, manifestKey(url));
        await promisifyRequest(store.transaction);
      }),
    );
  }

  /**
   * Stores a whole model, or nothing. Makes room first, so that the models of an origin stay within their budget, and again
   * for as long as the browser finds the disk fuller than it said: the newest stays. Returns the digest; `null` where another tab
   * has emptied the cache meanwhile, and the model is not in it.
   */
  async write(url: string, { blob, sha256, validator }: ModelFile, patience: Deadline): Promise<string | null> {
    await this.#makeRoom(url, blob.size, patience);
    // The old manifest goes first: it must never stand beside the new bytes.
    await patience.wait(() => del(manifestKey(url), this.#database.manifests));
    const now = Date.now();
    const manifest: Manifest = { version: 2, bytes: blob.size, sha256, validator, storedAtMs: now, lastUsedAtMs: now };
    await this.#inRoomMade(() => this.#put(url, blob, patience), url, blob.size, patience);
    return (await patience.wait(() => this.#admit(url, manifest))) ? sha256 : null;
  }

  list(patience: Deadline): Promise<Entry[]> {
    return patience.wait(() => this.#database.manifests("readonly", readEntries));
  }

  /**
   * Removes models, what is known of them, and whatever else in the database belongs to no model. Returns how many files that
   * were.
   */
  async remove(entries: readonly Entry[], patience: Deadline): Promise<number> {
    const gone = new Set(entries.map(({ url }) => url));
    return patience.wait(() =>
      this.#database.changeBoth(async (manifests, bytes) => {
        const kept = await keepOthers(manifests, gone);
        const count = await deleteWhere(bytes, (key) => typeof key !== "string" || !kept.has(key));
        await promisifyRequest(bytes.transaction);
        return count;
      }),
    );
  }

  async clear(patience: Deadline): Promise<void> {
    await patience.wait(() => clear(this.#database.manifests));
    await patience.wait(() => clear(this.#database.bytes));
  }

  /** The manifest makes a model of the bytes. Another tab may have removed these, since no manifest named them. */
  #admit(url: string, manifest: Manifest): Promise<boolean> {
    return this.#database.changeBoth(async (manifests, bytes) => {
      if ((await promisifyRequest(bytes.getKey(url))) === undefined) return false;
      manifests.put(manifest, manifestKey(url));
      await promisifyRequest(manifests.transaction);
      return true;
    });
  }

  async #put(url: string, blob: Blob, patience: Deadline): Promise<void> {
    const put = (value: Blob | ArrayBuffer) =>
      patience.wait(() => set(url, value, this.#database.bytes), blob.size / BYTES_PER_MS);
    try {
      await put(blob);
    } catch (error) {
      if (isQuota(error)) throw error;
      // Where WebKit keeps nothing on disk, as in a private window, it takes no Blob.
      await put(await blob.arrayBuffer());
    }
  }

  /** Puts a model. The models that were not used for longest go, as many as it needs, until the browser has room for it. */
  async #inRoomMade(put: () => Promise<void>, url: string, bytes: number, patience: Deadline): Promise<void> {
    for (let attempt = put; ; attempt = () => onceThereIsRoom(put, patience)) {
      try {
        return await attempt();
      } catch (error) {
        const oldest = isQuota(error) ? leastRecentlyUsed(await this.#others(url, patience), bytes) : [];
        // With them goes what an older copy of this model has left, so that there may be room although there is no other.
        if (!isQuota(error) || (await this.remove(oldest, patience)) === 0) throw error;
      }
    }
  }

  async #makeRoom(url: string, bytes: number, patience: Deadline): Promise<void> {
    const budget = await patience.wait(cacheBudget);
    if (bytes > budget) throw new Error(`the model has ${bytes} bytes, and the cache may hold ${budget} here`);
    const others = await this.#others(url, patience);
    const excess = bytesOf(others) + bytes - budget;
    if (excess > 0) await this.remove(leastRecentlyUsed(others, excess), patience);
  }

  async #others(url: string, patience: Deadline): Promise<Entry[]> {
    return (await this.list(patience)).filter((entry) => entry.url !== url);
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

/** Returns the addresses of the models that stay. */
async function keepOthers(store: IDBObjectStore, gone: ReadonlySet<string>): Promise<Set<string>> {
  const kept = (await readEntries(store)).filter(({ url }) => !gone.has(url));
  const urls = new Set(kept.map(({ url }) => url));
  const digests = new Set(kept.map(({ manifest }) => manifest.sha256));
  await deleteWhere(store, (key) => {
    const [url, digest] = [urlOfManifestKey(key), digestOfFactsKey(key)];
    return !(url !== null && urls.has(url)) && !(digest !== null && digests.has(digest));
  });
  return urls;
}

/** Returns how many are deleted, once the transaction is over. */
async function deleteWhere(store: IDBObjectStore, isUnwanted: (key: IDBValidKey) => boolean): Promise<number> {
  const unwanted = (await promisifyRequest(store.getAllKeys())).filter(isUnwanted);
  for (const key of unwanted) store.delete(key);
  return unwanted.length;
}

/** A file that the browser has lost, or can no longer read, is as good as one that is not there. */
async function soundBytes(found: unknown, manifest: Manifest): Promise<ArrayBuffer | null> {
  const bytes = found instanceof Blob ? await found.arrayBuffer().catch(() => null) : found;
  if (!(bytes instanceof ArrayBuffer) || bytes.byteLength !== manifest.bytes) return null;
  return (await digestOf(bytes, "sha256")) === manifest.sha256 ? bytes : null;
}

async function onceThereIsRoom(put: () => Promise<void>, patience: Deadline): Promise<void> {
  let refusal: unknown = null;
  for (const ms of RECLAIM_PAUSES_MS) {
    await patience.pause(ms);
    try {
      return await put();
    } catch (error) {
      if (!isQuota(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

function isQuota(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

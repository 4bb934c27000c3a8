import { createStore, del, get, set } from "idb-keyval";
import { digestOf } from "./integrity.js";

/** IndexedDB can block for ever (another tab deletes the database), so each call gets so long, in milliseconds. */
const PATIENCE_MS = 2000;
/** Reading and digesting gets more time for larger models: at least this rate, in bytes per millisecond. */
const READ_BYTES_PER_MS = 20_000;

/** What is known of a stored model without reading it. Written after the bytes, so a manifest means a whole file. */
export interface Manifest {
  readonly bytes: number;
  /** In base64; checked at every read, since a corrupted model often loads and gives other numbers. */
  readonly sha256: string;
  readonly validator: string | null;
}

/** Models by URL, in a database of their own. Every method may reject; none takes longer than its patience. */
export class ModelCache {
  readonly #store = createStore("framebatch-models", "models");

  async find(url: string): Promise<Manifest | null> {
    const found = await soon(() => get<unknown>(manifestKey(url), this.#store));
    return isManifest(found) ? found : null;
  }

  /** The bytes; `null` where they are gone, or not those that were stored. */
  async read(url: string, manifest: Manifest): Promise<ArrayBuffer | null> {
    const blob = await soon(() => get<unknown>(bytesKey(url), this.#store));
    if (!(blob instanceof Blob) || blob.size !== manifest.bytes) return null;
    return soon(
      async () => {
        const bytes = await blob.arrayBuffer();
        return (await digestOf(bytes, "sha256")) === manifest.sha256 ? bytes : null;
      },
      PATIENCE_MS + blob.size / READ_BYTES_PER_MS,
    );
  }

  async write(url: string, blob: Blob, bytes: ArrayBuffer, validator: string | null): Promise<void> {
    const manifest: Manifest = { bytes: blob.size, sha256: await digestOf(bytes, "sha256"), validator };
    // The old manifest goes first: it must never stand beside the new bytes.
    await soon(() => del(manifestKey(url), this.#store));
    await soon(() => set(bytesKey(url), blob, this.#store), PATIENCE_MS + blob.size / READ_BYTES_PER_MS);
    await soon(() => set(manifestKey(url), manifest, this.#store));
  }
}

function manifestKey(url: string): string {
  return `manifest ${url}`;
}

function bytesKey(url: string): string {
  return `bytes ${url}`;
}

function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "bytes" in value &&
    typeof value.bytes === "number" &&
    "sha256" in value &&
    typeof value.sha256 === "string" &&
    "validator" in value &&
    (value.validator === null || typeof value.validator === "string")
  );
}

async function soon<T>(task: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`IndexedDB did not answer within ${Math.round(patienceMs)} ms`)),
      patienceMs,
    );
  });
  try {
    return await Promise.race([task(), late]);
  } finally {
    clearTimeout(timer);
  }
}

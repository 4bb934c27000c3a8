import { promisifyRequest, type UseStore } from "idb-keyval";

const DATABASE = "framebatch-models";
/** Two stores, so that reading manifests does not have to wait while a large model is written. */
const STORES = ["manifests", "bytes"] as const;

type StoreName = (typeof STORES)[number];

/**
 * The database of models, as stores for the functions of idb-keyval. Replaces idb-keyval's own `createStore`, whose
 * connection blocks the deletion of the database and stays unusable after it fails once.
 *
 * - Another tab may delete or upgrade the database at any time: the connection closes, and opens again when needed.
 * - A connection that the browser closed is opened once more. Some browsers close connections at any time.
 * - A database that lacks these stores gets them.
 */
export class ModelDatabase {
  #connection: Promise<IDBDatabase> | null = null;
  #inProgress = 0;
  #resolveShutDown: () => void = () => undefined;
  #shutDown: Promise<void> | null = null;

  /** Manifests and facts of the models. */
  readonly manifests: UseStore = (mode, callback) => this.#useOne("manifests", mode, callback);
  /** Bytes of the models. */
  readonly bytes: UseStore = (mode, callback) => this.#useOne("bytes", mode, callback);

  /** Changes both stores in one transaction, so that they agree. Waits for writes of large models to end. */
  changeBoth<T>(callback: (manifests: IDBObjectStore, bytes: IDBObjectStore) => PromiseLike<T>): Promise<T> {
    return this.#use(STORES, "readwrite", (transaction) =>
      callback(transaction.objectStore("manifests"), transaction.objectStore("bytes")),
    );
  }

  close(): void {
    const closing = this.#connection;
    this.#connection = null;
    void closing?.then(
      (database) => database.close(),
      () => undefined,
    );
  }

  /** Rejects all further operations. Resolves when no operation is in progress. */
  shutDown(): Promise<void> {
    this.#shutDown ??= new Promise((resolve) => {
      this.#resolveShutDown = resolve;
      if (this.#inProgress === 0) resolve();
    });
    return this.#shutDown;
  }

  #useOne<T>(
    name: StoreName,
    mode: IDBTransactionMode,
    callback: (store: IDBObjectStore) => T | PromiseLike<T>,
  ): Promise<T> {
    return this.#use([name], mode, (transaction) => callback(transaction.objectStore(name)));
  }

  /** Runs `callback` in a transaction. May call it twice, so it must be idempotent. */
  async #use<T>(
    names: readonly StoreName[],
    mode: IDBTransactionMode,
    callback: (transaction: IDBTransaction) => T | PromiseLike<T>,
  ): Promise<T> {
    const transact = async () => {
      const database = await (this.#connection ??= this.#open());
      return callback(database.transaction(names, mode));
    };
    if (this.#shutDown !== null) throw new Error("the database is shut down");
    this.#inProgress += 1;
    try {
      return await transact();
    } catch (error) {
      if (!isStale(error)) throw error;
      this.close();
      return await transact();
    } finally {
      this.#inProgress -= 1;
      if (this.#inProgress === 0) this.#resolveShutDown();
    }
  }

  /** Opens a connection, which closes when another tab asks for it. Its end concerns no connection that is newer. */
  #open(): Promise<IDBDatabase> {
    const opening = openWithStores();
    const forget = () => {
      if (this.#connection === opening) this.#connection = null;
    };
    const listen = (database: IDBDatabase) => {
      database.addEventListener("close", forget);
      database.addEventListener("versionchange", () => {
        forget();
        database.close();
      });
    };
    // Whoever waits for the connection gets it, or the error, after this.
    opening.then(listen, forget);
    return opening;
  }
}

async function openWithStores(): Promise<IDBDatabase> {
  const database = await open();
  if (STORES.every((name) => database.objectStoreNames.contains(name))) return database;
  const version = database.version + 1;
  database.close();
  return open(version);
}

function open(version?: number): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, version);
  request.addEventListener("upgradeneeded", () => createStores(request.result));
  return promisifyRequest(request);
}

/** Creates the stores. Deletes all others: framebatch owns the database name, so an earlier version made them. */
function createStores(database: IDBDatabase): void {
  for (const name of database.objectStoreNames) database.deleteObjectStore(name);
  for (const name of STORES) database.createObjectStore(name);
}

/** Returns true if the connection failed. The error is `null` if a transaction ended because its connection did. */
function isStale(error: unknown): boolean {
  if (error === null) return true;
  return error instanceof DOMException && /^(InvalidState|Unknown|NotFound)Error$/.test(error.name);
}

/** Keys in the store `manifests`: a manifest by the model's address, and facts by the digest of the model's bytes. */
export const manifestKey = (url: string): string => `manifest ${url}`;
export const factsKey = (sha256: string, context: string): string => `facts ${sha256} ${context}`;

/** Returns the address in the key of a manifest; `null` for any other key. */
export function urlOfManifestKey(key: IDBValidKey): string | null {
  return typeof key === "string" && key.startsWith("manifest ") ? key.slice("manifest ".length) : null;
}

/** Returns the digest in the key of facts; `null` for any other key. */
export function digestOfFactsKey(key: IDBValidKey): string | null {
  return typeof key === "string" && key.startsWith("facts ") ? (key.split(" ")[1] ?? null) : null;
}

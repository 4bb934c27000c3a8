import { promisifyRequest, type UseStore } from "idb-keyval";

const DATABASE = "framebatch-models";
/** Two, so that whoever asks what there is need not wait while somebody else writes a large model. */
const STORES = ["manifests", "bytes"] as const;

type StoreName = (typeof STORES)[number];

/**
 * The stores that idb-keyval's functions are given: its own `createStore` keeps a connection that blocks whoever wants to
 * delete the database, and that stays broken once it has broken.
 *
 * - Another tab may delete or upgrade the database at any time: our connection steps aside and opens again when needed.
 * - A connection that the browser has closed is opened once more; some browsers do so when they please.
 * - A database without our stores gets them.
 */
export class ModelDatabase {
  #connection: Promise<IDBDatabase> | null = null;
  #inHand = 0;
  #isLeft = false;
  #tellLeft: () => void = () => undefined;

  /** What is known of each model. */
  readonly manifests: UseStore = (mode, callback) => this.#useOne("manifests", mode, callback);
  /** The models themselves. */
  readonly bytes: UseStore = (mode, callback) => this.#useOne("bytes", mode, callback);

  /** Changes both stores at once, where they must agree. Waits for the large models that are being written. */
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

  /** Resolves once nothing is in hand here. Begins nothing from now on. */
  leave(): Promise<void> {
    this.#isLeft = true;
    return new Promise((resolve) => {
      this.#tellLeft = resolve;
      if (this.#inHand === 0) resolve();
    });
  }

  #useOne<T>(
    name: StoreName,
    mode: IDBTransactionMode,
    callback: (store: IDBObjectStore) => T | PromiseLike<T>,
  ): Promise<T> {
    return this.#use([name], mode, (transaction) => callback(transaction.objectStore(name)));
  }

  /** The callback may be called twice, so doing it twice must be as good as once. */
  async #use<T>(
    names: readonly StoreName[],
    mode: IDBTransactionMode,
    callback: (transaction: IDBTransaction) => T | PromiseLike<T>,
  ): Promise<T> {
    const transact = async () => {
      const database = await (this.#connection ??= this.#open());
      return callback(database.transaction(names, mode));
    };
    if (this.#isLeft) throw new Error("the database has been left");
    this.#inHand += 1;
    try {
      return await transact();
    } catch (error) {
      if (!isStale(error)) throw error;
      this.close();
      return await transact();
    } finally {
      this.#inHand -= 1;
      if (this.#inHand === 0) this.#tellLeft();
    }
  }

  async #open(): Promise<IDBDatabase> {
    try {
      const database = await openWithStores();
      database.addEventListener("versionchange", () => this.close());
      database.addEventListener("close", () => (this.#connection = null));
      return database;
    } catch (error) {
      this.#connection = null;
      throw error;
    }
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

/** The name is ours, so what else is there is an earlier version's, and nobody's any more. */
function createStores(database: IDBDatabase): void {
  for (const name of database.objectStoreNames) database.deleteObjectStore(name);
  for (const name of STORES) database.createObjectStore(name);
}

/** A transaction that ends because its connection does has no error of its own. */
function isStale(error: unknown): boolean {
  if (error === null) return true;
  return error instanceof DOMException && /^(InvalidState|Unknown|NotFound)Error$/.test(error.name);
}

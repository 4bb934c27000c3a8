import { vi } from "vitest";

/** The values of each store by their keys. */
export type Stores = Record<string, Map<string, unknown>>;

/** A request, or a transaction, as idb-keyval waits for one. Ends in a task of its own. */
class FakeRequest extends EventTarget {
  onsuccess: (() => void) | null = null;
  oncomplete: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly result: unknown;
  readonly error: DOMException | null;

  constructor(result: unknown, isRefused = false, error: DOMException | null = null) {
    super();
    this.result = result;
    this.error = error;
    setTimeout(() => {
      if (isRefused) return this.onerror?.();
      this.onsuccess?.();
      this.oncomplete?.();
    });
  }
}

/** A connection to the database of a test. */
export class FakeConnection extends EventTarget {
  readonly objectStoreNames = { contains: () => true };
  readonly version = 1;
  isClosed = false;
  /** Set by a test: every request fails, as after the browser has closed the connection. */
  isLost = false;
  /** Set by a test: no Blob is stored, as in private windows of WebKit. */
  refusesBlobs = false;
  readonly #stores: Stores;

  constructor(stores: Stores) {
    super();
    this.#stores = stores;
  }

  close(): void {
    this.isClosed = true;
  }

  transaction() {
    if (this.isClosed) throw new DOMException("the connection is closed", "InvalidStateError");
    return { objectStore: (name: string) => this.#storeOf(this.#stores[name] ?? new Map<string, unknown>()) };
  }

  #storeOf(records: Map<string, unknown>) {
    let hasFailed = false;
    const request = (operation: () => unknown, isRefused = false) => {
      hasFailed ||= isRefused || this.isLost;
      return hasFailed ? new FakeRequest(undefined, true, REFUSAL) : new FakeRequest(operation());
    };
    return {
      get: (key: string) => request(() => records.get(key)),
      getKey: (key: string) => request(() => (records.has(key) ? key : undefined)),
      getAllKeys: () => request(() => [...records.keys()]),
      put: (value: unknown, key: string) =>
        request(() => records.set(key, value), this.refusesBlobs && value instanceof Blob),
      delete: (key: string) => request(() => records.delete(key)),
      clear: () => request(() => records.clear()),
      // A transaction has no error yet when it hears that one of its requests has failed.
      get transaction() {
        return new FakeRequest(undefined, hasFailed);
      },
    };
  }
}

const REFUSAL = new DOMException("the request failed", "UnknownError");

/**
 * Puts one database, of the stores of framebatch, in place of IndexedDB until `vi.unstubAllGlobals()`. Returns its values.
 * @param onOpened called with each connection
 */
export function stubIdb(
  stores: Stores = { manifests: new Map(), bytes: new Map() },
  onOpened: (connection: FakeConnection) => void = () => undefined,
): Stores {
  const open = () => {
    const connection = new FakeConnection(stores);
    onOpened(connection);
    return new FakeRequest(connection);
  };
  vi.stubGlobal("indexedDB", { open });
  return stores;
}

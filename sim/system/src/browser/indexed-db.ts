import { realmNow } from "../kernel/stage.js";
import type { Realm } from "../kernel/realm.js";
import type { Lane } from "../kernel/world.js";
import { SimBlob } from "./blob.js";
import { Store } from "./idb-store.js";
import { SimEvent, Target } from "../kernel/events.js";

/** Usual time of a request to the database, in milliseconds. */
const REQUEST_MS = 0.2;
/** Usual time until a realm hears that the browser has closed a connection, in milliseconds. */
const CLOSE_MS = 2;

type Records = Map<string, unknown>;

/** What goes wrong with the databases of an origin. */
export interface StoreFaults {
  /** Bytes that fit. */
  quotaBytes: number;
  /** Opening is never answered. */
  isBlocked: boolean;
  /** Share of transactions that abort. */
  abortShare: number;
}

/** IndexedDB of one origin: databases of stores of values by string keys. Transactions run one after the other. */
export class Databases {
  readonly faults: StoreFaults = { quotaBytes: Infinity, isBlocked: false, abortShare: 0 };
  readonly #stored = new Map<string, { version: number; stores: Map<string, Records> }>();
  readonly #connections = new Set<Connection>();
  /** Number of transactions in progress. */
  transactions = 0;
  readonly lane: Lane = { atMs: 0, order: 0 };
  readonly #tail: (() => void)[] = [];
  #isBusy = false;

  get usedBytes(): number {
    let bytes = 0;
    for (const { stores } of this.#stored.values())
      for (const records of stores.values()) for (const value of records.values()) bytes += sizeOf(value);
    return bytes;
  }

  get openConnections(): number {
    return [...this.#connections].filter(({ isOpen }) => isOpen).length;
  }

  /** Deletes everything, as a browser does that needs the space. */
  evict(): void {
    this.closeAll();
    this.#stored.clear();
  }

  /** Closes all connections, as browsers do when the process that serves them ends. */
  closeAll(): void {
    for (const connection of this.#connections) connection.lose();
  }

  /** What a store holds now. */
  records(name: string, store: string): ReadonlyMap<string, unknown> {
    return this.#stored.get(name)?.stores.get(store) ?? new Map();
  }

  open(name: string, version?: number): Target {
    const realm = realmNow();
    const request = new DbRequest(realm);
    if (this.faults.isBlocked) return request;
    request.later(() => {
      const known = this.#stored.get(name) ?? { version: 0, stores: new Map() };
      this.#stored.set(name, known);
      const isNew = known.version < (version ?? Math.max(1, known.version));
      const connection = new Connection(this, realm, known);
      this.#connections.add(connection);
      realm.ends.add(() => this.#connections.delete(connection));
      request.result = connection;
      if (isNew) {
        for (const other of this.#connections) if (other !== connection) other.upgradeElsewhere();
        known.version = version ?? 1;
        request.dispatchEvent(new SimEvent("upgradeneeded"));
      }
      request.later(() => request.dispatchEvent(new SimEvent("success")));
    });
    return request;
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** Calls `begin` when no other transaction runs. It calls `done` at its end. */
  enter(begin: () => void): void {
    this.#tail.push(begin);
    this.#next();
  }

  leave(): void {
    this.#isBusy = false;
    this.transactions -= 1;
    this.#next();
  }

  #next(): void {
    if (this.#isBusy) return;
    const begin = this.#tail.shift();
    if (begin === undefined) return;
    this.#isBusy = true;
    this.transactions += 1;
    begin();
  }
}

function sizeOf(value: unknown): number {
  if (value instanceof SimBlob) return value.size;
  return value instanceof ArrayBuffer ? value.byteLength : 200;
}

class DbRequest extends Target {
  result: unknown = undefined;
  error: unknown = null;
  transaction: Transaction | null = null;
  readonly realm: Realm;

  constructor(realm: Realm) {
    super();
    this.realm = realm;
  }

  later(run: () => void): void {
    const { world } = this.realm;
    world.post(this.realm, world.latency(REQUEST_MS), "idb", run);
  }

  protected override report(error: unknown): void {
    this.realm.reportError(error);
  }
}

class Connection extends Target {
  isOpen = true;
  readonly #databases: Databases;
  readonly #realm: Realm;
  readonly #stored: { version: number; stores: Map<string, Records> };

  constructor(databases: Databases, realm: Realm, stored: { version: number; stores: Map<string, Records> }) {
    super();
    this.#databases = databases;
    this.#realm = realm;
    this.#stored = stored;
  }

  get version(): number {
    return this.#stored.version;
  }

  get objectStoreNames(): { contains(name: string): boolean; [Symbol.iterator](): Iterator<string> } {
    const names = [...this.#stored.stores.keys()];
    return { contains: (name) => names.includes(name), [Symbol.iterator]: () => names[Symbol.iterator]() };
  }

  createObjectStore(name: string): void {
    this.#stored.stores.set(name, new Map());
  }

  deleteObjectStore(name: string): void {
    this.#stored.stores.delete(name);
  }

  close(): void {
    this.isOpen = false;
    this.#databases.closed(this);
  }

  /** Its realm hears of it later: until then, it finds out by itself. */
  lose(): void {
    this.close();
    const { world } = this.#realm;
    world.post(this.#realm, world.latency(CLOSE_MS), "idb close", () => this.dispatchEvent(new SimEvent("close")));
  }

  upgradeElsewhere(): void {
    this.#realm.world.post(this.#realm, 0, "idb versionchange", () =>
      this.dispatchEvent(new SimEvent("versionchange")),
    );
  }

  transaction(names: string | readonly string[], mode: string): Transaction {
    if (!this.isOpen) throw new DOMException("the connection is closing", "InvalidStateError");
    const wanted = typeof names === "string" ? [names] : names;
    const missing = wanted.find((name) => !this.#stored.stores.has(name));
    if (missing !== undefined) throw new DOMException(`no store ${missing}`, "NotFoundError");
    return new Transaction(this.#databases, this.#realm, this.#stored.stores, mode);
  }
}

/** A transaction: its requests run one by one, on a copy that replaces the stores when it completes. */
class Transaction extends Target {
  error: unknown = null;
  readonly #databases: Databases;
  readonly #realm: Realm;
  readonly #stores: Map<string, Records>;
  readonly #changes: (() => void)[] = [];
  readonly #queue: (() => void)[] = [];
  readonly #copies = new Map<string, Records>();
  #isBegun = false;
  #isOver = false;

  constructor(databases: Databases, realm: Realm, stores: Map<string, Records>, mode: string) {
    super();
    this.#databases = databases;
    this.#realm = realm;
    this.#stores = stores;
    void mode;
    const end = () => this.#finish();
    databases.enter(() => {
      this.#isBegun = true;
      if (realm.isEnded) return this.#finish();
      realm.ends.add(end);
      this.#step();
    });
  }

  objectStore(name: string): Store<DbRequest> {
    return new Store(this, name);
  }

  get realm(): Realm {
    return this.#realm;
  }

  /** Runs a request of this transaction. */
  ask(run: () => unknown): DbRequest {
    if (this.#isOver) throw new DOMException("the transaction has finished", "TransactionInactiveError");
    const request = new DbRequest(this.#realm);
    this.#queue.push(() => {
      request.result = run();
      request.dispatchEvent(new SimEvent("success"));
    });
    return request;
  }

  records(name: string): Records {
    const copied = this.#copies.get(name) ?? new Map(this.#stores.get(name));
    this.#copies.set(name, copied);
    return copied;
  }

  change(name: string, run: (records: Records) => void): DbRequest {
    this.#changes.push(() => run(this.#stores.get(name) ?? new Map()));
    return this.ask(() => run(this.records(name)));
  }

  /** Waits for the next request; completes if none has come by the next task. */
  #step(): void {
    const { world } = this.#realm;
    world.post(this.#realm, world.latency(REQUEST_MS), "idb", () => {
      const next = this.#queue.shift();
      if (next === undefined) return this.#complete();
      next();
      this.#step();
    });
  }

  #complete(): void {
    const { faults, usedBytes } = this.#databases;
    const isWrite = this.#changes.length > 0;
    const { world } = this.#realm;
    if (isWrite && usedBytes > faults.quotaBytes) return this.#abort("QuotaExceededError");
    if (faults.abortShare > 0 && world.chance(faults.abortShare)) return this.#abort("AbortError");
    for (const change of this.#changes) change();
    if (isWrite && this.#databases.usedBytes > faults.quotaBytes) return this.#abort("QuotaExceededError");
    this.#finish();
    this.dispatchEvent(new SimEvent("complete"));
  }

  #abort(name: string): void {
    this.error = new DOMException("the transaction was aborted", name);
    this.#finish();
    this.dispatchEvent(new SimEvent("abort"));
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isBegun) this.#databases.leave();
  }

  protected override report(error: unknown): void {
    this.#realm.reportError(error);
  }
}

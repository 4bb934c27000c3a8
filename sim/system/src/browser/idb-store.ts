import { cloneValue } from "./clone.js";

/** Runs the requests of a transaction. */
export interface Asking<Request> {
  ask(run: () => unknown): Request;
  change(name: string, run: (records: Map<string, unknown>) => void): Request;
  records(name: string): Map<string, unknown>;
}

/** An object store within a transaction. */
export class Store<Request> {
  readonly transaction: Asking<Request>;
  readonly #name: string;

  constructor(transaction: Asking<Request>, name: string) {
    this.transaction = transaction;
    this.#name = name;
  }

  get(key: string): Request {
    return this.transaction.ask(() => cloneValue(this.transaction.records(this.#name).get(key)));
  }

  getKey(key: string): Request {
    return this.transaction.ask(() => (this.transaction.records(this.#name).has(key) ? key : undefined));
  }

  getAllKeys(): Request {
    return this.transaction.ask(() => [...this.transaction.records(this.#name).keys()]);
  }

  put(value: unknown, key: string): Request {
    const stored = cloneValue(value);
    return this.transaction.change(this.#name, (records) => void records.set(key, stored));
  }

  delete(key: string): Request {
    return this.transaction.change(this.#name, (records) => void records.delete(key));
  }

  clear(): Request {
    return this.transaction.change(this.#name, (records) => records.clear());
  }
}

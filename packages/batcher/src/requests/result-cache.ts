/** Caches results by content. Evicts the least recently used. */
export class ResultCache<Result> {
  readonly #capacity: number;
  readonly #results = new Map<string, Result>();

  /** @param capacity maximum number of results; 0 disables the cache */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(contentKey: string): Result | undefined {
    const result = this.#results.get(contentKey);
    if (result === undefined) return undefined;
    this.#results.delete(contentKey);
    this.#results.set(contentKey, result);
    return result;
  }

  set(contentKey: string, result: Result): void {
    if (this.#capacity === 0) return;
    this.#results.delete(contentKey);
    this.#results.set(contentKey, result);
    if (this.#results.size <= this.#capacity) return;
    for (const oldest of this.#results.keys()) {
      this.#results.delete(oldest);
      return;
    }
  }
}

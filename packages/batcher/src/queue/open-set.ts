/** Number of deletions, beyond the number of values, after which the values move to a new table. */
const RENEWAL_SLACK = 64;

/**
 * The requests, runs or calls that are open now, in the order of addition: a `Set` for values that come and go all the
 * time.
 *
 * When V8 replaces the table of a `Set` because values were added and deleted, the old table refers to the new one.
 * Once one table is in the old generation, everything that later tables ever held survives there until the next full
 * garbage collection, and each minor collection takes several times as long. A new `Set` now and then ends that chain.
 *
 * `add` and `delete` take O(1) amortised time. Values may be deleted during an iteration, but not added.
 */
export class OpenSet<Value> implements Iterable<Value> {
  /** Number of values. Only this class changes it: a field, because every call asks for it many times. */
  size = 0;
  #values = new Set<Value>();
  #deletions = 0;

  /** The value that was added first; `undefined` if the set is empty. */
  get first(): Value | undefined {
    return this.#values.values().next().value;
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#values.values();
  }

  add(value: Value): void {
    if (this.#deletions > this.size + RENEWAL_SLACK) this.#renew();
    this.#values.add(value);
    this.size = this.#values.size;
  }

  /** Returns whether the value was in the set. */
  delete(value: Value): boolean {
    const wasOpen = this.#values.delete(value);
    if (!wasOpen) return false;
    this.#deletions += 1;
    this.size -= 1;
    return true;
  }

  #renew(): void {
    this.#values = new Set(this.#values);
    this.#deletions = 0;
  }
}

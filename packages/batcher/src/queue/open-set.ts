/** Number of deletions, beyond the number of values, after which the values move to a new table. */
const RENEWAL_SLACK = 64;

/**
 * The requests, runs or calls that are open now, in the order of addition: a `Set` for values that come and go all the
 * time.
 *
 * When V8 replaces the table of a `Set` because values were added and deleted, the old table refers to the new one. Once
 * one table is in the old generation, everything that later tables ever held survives there until the next full garbage
 * collection, and each minor collection takes several times as long. A new `Set` now and then ends that chain.
 *
 * `add` and `delete` take O(1) amortised time. Values may be deleted during an iteration, but not added.
 */
export class OpenSet<Value> implements Iterable<Value> {
  #values = new Set<Value>();
  #deletions = 0;

  get size(): number {
    return this.#values.size;
  }

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
  }

  /** Returns whether the value was in the set. */
  delete(value: Value): boolean {
    const wasOpen = this.#values.delete(value);
    if (wasOpen) this.#deletions += 1;
    return wasOpen;
  }

  #renew(): void {
    this.#values = new Set(this.#values);
    this.#deletions = 0;
  }
}

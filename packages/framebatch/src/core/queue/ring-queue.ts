const MIN_CAPACITY = 16;

/** A first-in, first-out queue in a circular array. Allocates no memory while its length stays the same. */
export class RingQueue<Value> {
  /** The length is a power of two. Empty places are `undefined`, so that removed values can be garbage-collected. */
  #places: (Value | undefined)[] = Array.from({ length: MIN_CAPACITY }, () => undefined);
  #first = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(value: Value): void {
    if (this.#size === this.#places.length) this.#grow();
    this.#places[(this.#first + this.#size) & (this.#places.length - 1)] = value;
    this.#size += 1;
  }

  first(): Value | undefined {
    return this.#places[this.#first];
  }

  last(): Value | undefined {
    return this.#places[(this.#first + this.#size - 1) & (this.#places.length - 1)];
  }

  shift(): Value | undefined {
    const value = this.#places[this.#first];
    if (this.#size === 0) return undefined;
    this.#places[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#places.length - 1);
    this.#size -= 1;
    return value;
  }

  clear(): void {
    while (this.#size > 0) this.shift();
  }

  /** Removes every value for which `keep` returns false. Takes O(n) time. */
  retain(keep: (value: Value) => boolean): void {
    for (let left = this.#size; left > 0; left--) {
      const value = this.shift()!;
      if (keep(value)) this.push(value);
    }
  }

  #grow(): void {
    const { length } = this.#places;
    const places = Array.from({ length: 2 * length }, (_, index) =>
      index < length ? this.#places[(this.#first + index) & (length - 1)] : undefined,
    );
    this.#places = places;
    this.#first = 0;
  }
}

const LEAST_CAPACITY = 16;

/** First in, first out, in one array that is written round and round: no memory is asked for while the length stays the same. */
export class RingQueue<Value> {
  /** A power of two of places. Those that hold no value are `undefined`, so that nothing is kept alive that has left. */
  #places: (Value | undefined)[] = Array.from({ length: LEAST_CAPACITY }, () => undefined);
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

  /** Drops every value that `keep` refuses. O(n). */
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

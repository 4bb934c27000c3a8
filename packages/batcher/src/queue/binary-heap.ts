/**
 * A binary min-heap. `push` and `pop` take O(log n) time; `push` takes O(1) if values arrive in ascending order.
 * Invariant: no value precedes its parent.
 */
export class BinaryHeap<Value> {
  readonly #precedes: (a: Value, b: Value) => boolean;
  #values: Value[] = [];

  constructor(precedes: (a: Value, b: Value) => boolean) {
    this.#precedes = precedes;
  }

  get size(): number {
    return this.#values.length;
  }

  peek(): Value | undefined {
    return this.#values[0];
  }

  push(value: Value): void {
    this.#values.push(value);
    this.#siftUp(this.#values.length - 1);
  }

  pop(): Value | undefined {
    const first = this.#values[0];
    const last = this.#values.pop();
    if (last !== undefined && this.#values.length > 0) {
      this.#values[0] = last;
      this.#siftDown(0);
    }
    return first;
  }

  clear(): void {
    this.#values.length = 0;
  }

  /** Removes every value for which `keep` returns false. Takes O(n) time. */
  retain(keep: (value: Value) => boolean): void {
    this.#values = this.#values.filter(keep);
    for (let index = (this.#values.length >> 1) - 1; index >= 0; index--) this.#siftDown(index);
  }

  #siftUp(start: number): void {
    const values = this.#values;
    const value = values[start]!;
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#precedes(value, values[parent]!)) break;
      values[index] = values[parent]!;
      index = parent;
    }
    values[index] = value;
  }

  #siftDown(start: number): void {
    const values = this.#values;
    const value = values[start]!;
    let index = start;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= values.length) break;
      if (child + 1 < values.length && this.#precedes(values[child + 1]!, values[child]!)) child++;
      if (!this.#precedes(values[child]!, value)) break;
      values[index] = values[child]!;
      index = child;
    }
    values[index] = value;
  }
}

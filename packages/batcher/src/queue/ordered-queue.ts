import { BinaryHeap } from "./binary-heap.js";

/** Number of removed values that may stay before a sweep is worth its cost. */
const SWEEP_SLACK = 64;

/**
 * A priority queue from which any value can be removed. For values that arrive in order, as nearly all requests do, it
 * is a plain queue, in which `push` takes O(1) time. Values that arrive out of order go to a heap, where it takes
 * O(log n).
 *
 * Removal is lazy: the caller changes the value, so that `isLive` returns false for it, and calls `removed`. The value
 * is dropped when it reaches the head, or in a sweep once such values outnumber the live ones. Every operation therefore
 * takes O(log n) amortised time.
 *
 * Invariant: in the run, no value precedes the one before it.
 */
export class OrderedQueue<Value> {
  readonly #precedes: (a: Value, b: Value) => boolean;
  readonly #isLive: (value: Value) => boolean;
  /** Values in the order of arrival. Those before `#start` have been dropped. */
  #run: Value[] = [];
  #start = 0;
  readonly #others: BinaryHeap<Value>;
  #size = 0;

  constructor(precedes: (a: Value, b: Value) => boolean, isLive: (value: Value) => boolean) {
    this.#precedes = precedes;
    this.#isLive = isLive;
    this.#others = new BinaryHeap(precedes);
  }

  /** Number of live values. */
  get size(): number {
    return this.#size;
  }

  push(value: Value): void {
    const last = this.#run[this.#run.length - 1];
    if (last !== undefined && this.#precedes(value, last)) this.#others.push(value);
    else this.#run.push(value);
    this.#size += 1;
  }

  /** Uncounts a value that was live until now. */
  removed(): void {
    this.#size -= 1;
    const stored = this.#run.length + this.#others.size;
    if (this.#size === 0) this.#clear();
    else if (stored > 2 * this.#size + SWEEP_SLACK) this.#sweep();
  }

  /** Returns the first live value. */
  head(): Value | undefined {
    for (;;) {
      const isInRun = this.#isNextInRun();
      const value = isInRun ? this.#run[this.#start] : this.#others.peek();
      if (value === undefined || this.#isLive(value)) return value;
      if (isInRun) this.#start += 1;
      else this.#others.pop();
    }
  }

  /** Removes and returns all live values, in order. */
  takeAll(): Value[] {
    const all: Value[] = [];
    for (let value = this.head(); value !== undefined; value = this.head()) {
      all.push(value);
      this.#dropHead();
    }
    this.#size = 0;
    this.#clear();
    return all;
  }

  #dropHead(): void {
    if (this.#isNextInRun()) this.#start += 1;
    else this.#others.pop();
  }

  #isNextInRun(): boolean {
    const other = this.#others.peek();
    if (other === undefined) return true;
    const next = this.#run[this.#start];
    return next !== undefined && !this.#precedes(other, next);
  }

  #clear(): void {
    this.#run.length = 0;
    this.#start = 0;
    this.#others.clear();
  }

  #sweep(): void {
    this.#run = this.#run.slice(this.#start).filter(this.#isLive);
    this.#start = 0;
    this.#others.retain(this.#isLive);
  }
}

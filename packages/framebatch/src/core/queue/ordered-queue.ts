import { BinaryHeap } from "./binary-heap.js";
import { RingQueue } from "./ring-queue.js";

/**
 * A priority queue that is a plain queue for values that arrive in order, as nearly all requests do. For those, `push`
 * and `pop` take O(1) time. Values that arrive out of order go to a separate heap, where both take O(log n).
 *
 * Invariant: in the run, no value precedes the one before it.
 */
export class OrderedQueue<Value> {
  readonly #precedes: (a: Value, b: Value) => boolean;
  readonly #run = new RingQueue<Value>();
  readonly #others: BinaryHeap<Value>;

  constructor(precedes: (a: Value, b: Value) => boolean) {
    this.#precedes = precedes;
    this.#others = new BinaryHeap(precedes);
  }

  get size(): number {
    return this.#run.size + this.#others.size;
  }

  push(value: Value): void {
    const last = this.#run.last();
    if (last !== undefined && this.#precedes(value, last)) this.#others.push(value);
    else this.#run.push(value);
  }

  peek(): Value | undefined {
    return this.#isNextInRun() ? this.#run.first() : this.#others.peek();
  }

  pop(): Value | undefined {
    return this.#isNextInRun() ? this.#run.shift() : this.#others.pop();
  }

  clear(): void {
    this.#run.clear();
    this.#others.clear();
  }

  /** Removes every value for which `keep` returns false. Takes O(n) time. */
  retain(keep: (value: Value) => boolean): void {
    this.#run.retain(keep);
    this.#others.retain(keep);
  }

  #isNextInRun(): boolean {
    const other = this.#others.peek();
    if (other === undefined) return true;
    const next = this.#run.first();
    return next !== undefined && !this.#precedes(other, next);
  }
}

import { BACKGROUND, isDueBefore, PRIORITIES, type QueuedRequest } from "./request.js";

/** Number of removed values that may stay before a sweep is worth its cost. */
const SWEEP_SLACK = 64;

/**
 * A priority queue from which any value can be removed. For values that arrive in order, as nearly all requests do, it
 * is a plain queue, in which `push` takes O(1) time. Values that arrive out of order go to a heap, where it takes
 * O(log n).
 *
 * Removal is lazy: the caller changes the value, so that `isLive` returns false for it, and calls `removed`. The value
 * is dropped when it reaches the head, or in a sweep once such values outnumber the live ones. Every operation
 * therefore takes O(log n) amortised time.
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

/**
 * Queued requests by priority, and within each priority the earliest due first. Removal is lazy: the caller changes the
 * request's state, rank or row, and calls `removed`.
 *
 * Invariant: an entry of rank r is live if and only if its request is queued, has rank r, and is not represented by a
 * stand-in.
 */
export class UrgencyQueue<Item, Result> {
  readonly #byRank = PRIORITIES.map(
    (_, rank) =>
      new OrderedQueue<QueuedRequest<Item, Result>>(
        isDueBefore,
        (request) => request.rank === rank && isInQueue(request),
      ),
  );

  #size = 0;

  /** Number of live requests of all ranks. */
  get size(): number {
    return this.#size;
  }

  /** Number of live requests that are more urgent than background ones. */
  get urgent(): number {
    return this.#size - this.#byRank[BACKGROUND]!.size;
  }

  push(request: QueuedRequest<Item, Result>): void {
    this.#byRank[request.rank]!.push(request);
    this.#size += 1;
  }

  /** Uncounts a request that was live in `rank` until now. */
  removed(rank: number): void {
    this.#byRank[rank]!.removed();
    this.#size -= 1;
  }

  /** Returns the first live request of a rank. */
  head(rank: number): QueuedRequest<Item, Result> | undefined {
    return this.#byRank[rank]!.head();
  }

  /** Returns the first live request of the highest priority that has one. */
  first(): QueuedRequest<Item, Result> | undefined {
    return this.#byRank.find(({ size }) => size > 0)?.head();
  }
}

/** Whether a request has a place of its own in the queue. */
export function isInQueue<Item, Result>({ state, row }: QueuedRequest<Item, Result>): boolean {
  return state === "queued" && row === undefined;
}

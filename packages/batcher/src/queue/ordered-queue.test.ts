import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderedQueue, BinaryHeap, UrgencyQueue } from "./ordered-queue.js";
import type { QueuedRequest } from "./request.js";
import { queued } from "../../test/support/queued.js";

/** No two values are equal, like requests: of the same rank, the first to arrive precedes. */
interface Value {
  readonly rank: number;
  readonly arrival: number;
}

function precedes(a: Value, b: Value): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.arrival < b.arrival);
}

const inOrder = (a: Value, b: Value): number => a.rank - b.rank || a.arrival - b.arrival;

const arrivingWith = (ranks: readonly number[]): Value[] => ranks.map((rank, arrival) => ({ rank, arrival }));

/** A queue that counts its comparisons, and the values that were removed from it. */
class Subject {
  comparisons = 0;
  readonly #removed = new Set<Value>();
  readonly #queue = new OrderedQueue<Value>(
    (a, b) => {
      this.comparisons += 1;
      return precedes(a, b);
    },
    (value) => !this.#removed.has(value),
  );

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.push(value);
  }

  get size(): number {
    return this.#queue.size;
  }

  get head(): Value | undefined {
    return this.#queue.head();
  }

  push(value: Value): void {
    this.#queue.push(value);
  }

  remove(value: Value): void {
    this.#removed.add(value);
    this.#queue.removed();
  }

  /** Removes the head, if there is one, and returns it. */
  pop(): Value | undefined {
    const { head } = this;
    if (head !== undefined) this.remove(head);
    return head;
  }

  /** Removes every value, always the head. */
  drain(): (Value | undefined)[] {
    return Array.from({ length: this.size }, () => this.pop());
  }
}

const ranks = fc.array(fc.nat(20), { maxLength: 200, size: "max" });

describe("an ordered queue", () => {
  it("returns the pushed values in order", () => {
    fc.assert(
      fc.property(ranks, (given) => {
        const values = arrivingWith(given);
        expect(new Subject(values).drain()).toEqual(values.toSorted(inOrder));
      }),
    );
  });

  it("returns values in order with pushes, and removals at any position, in any sequence", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ push: fc.nat(20) }) },
      { weight: 2, arbitrary: fc.record({ removeAt: fc.nat() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: "max" }), (steps) => {
        const queue = new Subject();
        let model: Value[] = [];
        for (const [arrival, each] of steps.entries()) {
          if ("push" in each) {
            const value = { rank: each.push, arrival };
            queue.push(value);
            model = [...model, value].toSorted(inOrder);
          } else if (model.length > 0) {
            const gone = model[each.removeAt % model.length]!;
            queue.remove(gone);
            model = model.filter((value) => value !== gone);
          }
          expect([queue.head, queue.size]).toEqual([model[0], model.length]);
        }
        expect(queue.drain()).toEqual(model);
      }),
    );
  });

  it("compares once for a push in order, and never for a removal", () => {
    const values = arrivingWith(Array.from({ length: 1000 }, () => 7));
    const queue = new Subject(values);
    expect(queue.comparisons).toBe(999);
    queue.remove(values[500]!);
    queue.drain();
    expect(queue.comparisons).toBe(999);
  });

  it("compares O(log n) times for values out of order, and once for the other values that are removed meanwhile", () => {
    const late = arrivingWith(Array.from({ length: 1000 }, () => 7));
    const queue = new Subject([...late, { rank: 3, arrival: 1000 }, { rank: 3, arrival: 1001 }]);
    expect(queue.comparisons).toBeLessThanOrEqual(999 + 2 * (1 + 1));
    const before = queue.comparisons;
    expect([queue.pop(), queue.pop()].map((value) => value?.arrival)).toEqual([1000, 1001]);
    queue.drain();
    // Once no value is out of order, removals compare nothing.
    expect(queue.comparisons - before).toBeLessThanOrEqual(6);
  });

  it("compares O(log n) times per value when all but the last are removed", () => {
    const values = Array.from({ length: 4096 }, (_, arrival) => ({ rank: (arrival * 7919) % 4096, arrival }));
    const queue = new Subject(values);
    for (const value of values) if (value.rank !== 4095) queue.remove(value);
    expect(queue.head?.rank).toBe(4095);
    expect(queue.comparisons).toBeLessThan(4096 * 12);
  });

  it("has no head when it is empty, and accepts any next value", () => {
    const queue = new Subject(arrivingWith([5, 1, 3]));
    queue.drain();
    expect([queue.size, queue.head]).toEqual([0, undefined]);
    queue.push({ rank: 0, arrival: 3 });
    expect(queue.drain()).toEqual([{ rank: 0, arrival: 3 }]);
  });
});

function heapOf(values: readonly number[]): BinaryHeap<number> {
  const heap = new BinaryHeap<number>((a, b) => a < b);
  for (const value of values) heap.push(value);
  return heap;
}

function drained(heap: BinaryHeap<number>): (number | undefined)[] {
  return Array.from({ length: heap.size }, () => heap.pop());
}

describe("a binary heap", () => {
  it("returns the pushed values in order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (values) => {
        expect(drained(heapOf(values))).toEqual(values.toSorted((a, b) => a - b));
      }),
    );
  });

  it("returns values in order with pushes, pops and sweeps in any sequence", () => {
    const step = fc.oneof(fc.integer(), fc.constant("pop" as const), fc.constant("sweep" as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = heapOf([]);
        let model: number[] = [];
        for (const each of steps) {
          if (typeof each === "number") {
            heap.push(each);
            model = [...model, each].toSorted((a, b) => a - b);
          } else if (each === "pop") {
            expect(heap.pop()).toBe(model.shift());
          } else {
            heap.retain((value) => value % 2 === 0);
            model = model.filter((value) => value % 2 === 0);
          }
          expect([heap.peek(), heap.size]).toEqual([model[0], model.length]);
        }
        expect(drained(heap)).toEqual(model);
      }),
    );
  });

  it("is in order after a sweep, whatever values remain", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.array(fc.nat(50)), (values, dropped) => {
        const heap = heapOf(values);
        heap.retain((value) => !dropped.includes(value));
        expect(drained(heap)).toEqual(values.filter((value) => !dropped.includes(value)).toSorted((a, b) => a - b));
      }),
      { numRuns: 500 },
    );
  });

  it("returns undefined when it is empty", () => {
    const heap = heapOf([3]);
    heap.clear();
    expect([heap.size, heap.peek(), heap.pop()]).toEqual([0, undefined, undefined]);
  });

  it("compares once for a push in ascending order, and about 2 log2 n times for a pop", () => {
    let comparisons = 0;
    const heap = new BinaryHeap<number>((a, b) => (comparisons++, a < b));
    for (let value = 0; value < 1024; value++) heap.push(value);
    expect(comparisons).toBe(1023);
    heap.pop();
    expect(comparisons).toBeLessThanOrEqual(1023 + 2 * 10);
  });
});

type Request = QueuedRequest<string, string>;
const VISIBLE = 1;
const BACKGROUND = 2;

function settle(queue: UrgencyQueue<string, string>, request: Request): void {
  request.state = "settled";
  queue.removed(request.rank);
}

function move(queue: UrgencyQueue<string, string>, request: Request, rank: number): void {
  const before = request.rank;
  request.rank = rank;
  queue.push(request);
  queue.removed(before);
}

/** Removes every request of a rank in order, and returns their items. */
function taken(queue: UrgencyQueue<string, string>, rank: number): string[] {
  const items: string[] = [];
  for (let head = queue.head(rank); head !== undefined; head = queue.head(rank)) {
    items.push(head.item);
    settle(queue, head);
  }
  return items;
}

function queueOf(requests: readonly Request[]): UrgencyQueue<string, string> {
  const queue = new UrgencyQueue<string, string>();
  for (const request of requests) queue.push(request);
  return queue;
}

describe("an urgency queue", () => {
  it("returns the earliest deadline first, and the first to arrive among equals", () => {
    const requests = [queued("a1"), queued("a2", { timeoutAtMs: 30 }), queued("a3", { timeoutAtMs: 20 }), queued("a4")];
    expect(taken(queueOf(requests), VISIBLE)).toEqual(["a3", "a2", "a1", "a4"]);
  });

  it("has the first request of the highest priority first", () => {
    const requests = [queued("a1", { rank: BACKGROUND, timeoutAtMs: 5 }), queued("a2"), queued("a3")];
    const queue = queueOf(requests);
    expect(queue.first()?.item).toBe("a2");
    for (const request of requests.slice(1)) settle(queue, request);
    expect(queue.first()?.item).toBe("a1");
    settle(queue, requests[0]!);
    expect(queue.first()).toBeUndefined();
  });

  it("uses the earlier of timeout and objective as the deadline, and a default patience at most", () => {
    expect(queued("a1", { timeoutAtMs: 30, objectiveAtMs: 20 }).dueMs).toBe(20);
    expect(queued("a1", { timeoutAtMs: 15, objectiveAtMs: 20 }).dueMs).toBe(15);
    expect(queued("a1", { enqueuedAtMs: 5 }).dueMs).toBe(10_005);
    expect(queued("a1", { timeoutAtMs: 60_000 }).dueMs).toBe(10_000);
  });

  it("skips removed requests at any position", () => {
    const requests = ["a1", "a2", "a3", "a4"].map((item) => queued(item));
    const queue = queueOf(requests);
    for (const index of [0, 2]) settle(queue, requests[index]!);
    expect(queue.size).toBe(2);
    expect(taken(queue, VISIBLE)).toEqual(["a2", "a4"]);
    expect(queue.size).toBe(0);
  });

  it("counts and returns a request only once after it moves to another priority and back", () => {
    const requests = ["a1", "a2"].map((item) => queued(item));
    const queue = queueOf(requests);
    for (const rank of [BACKGROUND, VISIBLE, BACKGROUND, VISIBLE]) move(queue, requests[0]!, rank);
    expect(queue.size).toBe(2);
    expect(taken(queue, BACKGROUND)).toEqual([]);
    expect(taken(queue, VISIBLE)).toEqual(["a1", "a2"]);
  });
});

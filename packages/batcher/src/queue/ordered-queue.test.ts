import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderedQueue } from "./ordered-queue.js";

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

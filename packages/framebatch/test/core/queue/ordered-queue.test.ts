import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderedQueue } from "../../../src/core/queue/ordered-queue.js";

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

function queueOf(values: readonly Value[], order = precedes): OrderedQueue<Value> {
  const queue = new OrderedQueue<Value>(order);
  for (const value of values) queue.push(value);
  return queue;
}

/** Pops every value, and checks that each is the one that `peek` returned. */
function drained(queue: OrderedQueue<Value>): (Value | undefined)[] {
  return Array.from({ length: queue.size }, () => {
    const next = queue.peek();
    expect(queue.pop()).toBe(next);
    return next;
  });
}

/** A queue that counts its comparisons. */
function counting(values: readonly Value[]) {
  let comparisons = 0;
  const queue = queueOf(values, (a, b) => {
    comparisons += 1;
    return precedes(a, b);
  });
  return { queue, comparisons: () => comparisons };
}

const ranks = fc.array(fc.nat(20), { maxLength: 200, size: "max" });

describe("an ordered queue", () => {
  it("returns the pushed values in order", () => {
    fc.assert(
      fc.property(ranks, (given) => {
        const values = arrivingWith(given);
        expect(drained(queueOf(values))).toEqual(values.toSorted(inOrder));
      }),
    );
  });

  it("returns values in order with pushes, pops, sweeps and clears in any sequence", () => {
    const step = fc.oneof(
      { weight: 20, arbitrary: fc.nat(20) },
      { weight: 12, arbitrary: fc.constant("pop" as const) },
      { weight: 2, arbitrary: fc.func(fc.boolean()) },
      { weight: 1, arbitrary: fc.constant("clear" as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
        const queue = queueOf([]);
        let model: Value[] = [];
        for (const [arrival, each] of steps.entries()) {
          if (typeof each === "number") {
            queue.push({ rank: each, arrival });
            model = [...model, { rank: each, arrival }].toSorted(inOrder);
          } else if (each === "pop") {
            expect(queue.pop()).toEqual(model.shift());
          } else if (each === "clear") {
            queue.clear();
            model = [];
          } else {
            queue.retain((value) => each(value.arrival));
            model = model.filter((value) => each(value.arrival));
          }
          expect([queue.peek(), queue.size]).toEqual([model[0], model.length]);
        }
        expect(drained(queue)).toEqual(model);
      }),
    );
  });

  it("compares once for a push in order, and never for a pop", () => {
    const { queue, comparisons } = counting(arrivingWith(Array.from({ length: 1000 }, () => 7)));
    expect(comparisons()).toBe(999);
    drained(queue);
    expect(comparisons()).toBe(999);
  });

  it("compares O(log n) times for values out of order, and once for the other values that are popped meanwhile", () => {
    const late = arrivingWith(Array.from({ length: 1000 }, () => 7));
    const { queue, comparisons } = counting([...late, { rank: 3, arrival: 1000 }, { rank: 3, arrival: 1001 }]);
    expect(comparisons()).toBeLessThanOrEqual(999 + 2 * (1 + 1));
    const before = comparisons();
    expect([queue.pop(), queue.pop()].map((value) => value?.arrival)).toEqual([1000, 1001]);
    drained(queue);
    // Once no value is out of order, pops compare nothing.
    expect(comparisons() - before).toBeLessThanOrEqual(4);
  });

  it("uses the plain queue again after a sweep removed the values ahead", () => {
    const { queue, comparisons } = counting(arrivingWith([1, 2, 9]));
    queue.retain(({ rank }) => rank < 9);
    const before = comparisons();
    queue.push({ rank: 5, arrival: 3 });
    expect(comparisons() - before).toBe(1);
    expect(drained(queue).map((value) => value?.rank)).toEqual([1, 2, 5]);
    expect(comparisons() - before).toBe(1);
  });

  it("returns undefined when it is empty, and accepts any next value", () => {
    const queue = queueOf(arrivingWith([5, 1, 3]));
    queue.clear();
    expect([queue.size, queue.peek(), queue.pop()]).toEqual([0, undefined, undefined]);
    queue.push({ rank: 0, arrival: 3 });
    expect(drained(queue)).toEqual([{ rank: 0, arrival: 3 }]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BinaryHeap } from "./binary-heap.js";

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

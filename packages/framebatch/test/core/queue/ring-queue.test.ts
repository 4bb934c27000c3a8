import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RingQueue } from "../../../src/core/queue/ring-queue.js";

function queueOf(values: readonly number[]): RingQueue<number> {
  const queue = new RingQueue<number>();
  for (const value of values) queue.push(value);
  return queue;
}

function drained(queue: RingQueue<number>): (number | undefined)[] {
  return Array.from({ length: queue.size }, () => queue.shift());
}

const isEven = (value: number): boolean => value % 2 === 0;

describe("a ring queue", () => {
  it("is first in, first out, with pushes, shifts, sweeps and clears in any sequence", () => {
    const step = fc.oneof(
      { weight: 20, arbitrary: fc.integer() },
      { weight: 12, arbitrary: fc.constant("shift" as const) },
      { weight: 1, arbitrary: fc.constant("sweep" as const) },
      { weight: 1, arbitrary: fc.constant("clear" as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300, size: "max" }), (steps) => {
        const queue = queueOf([]);
        let model: number[] = [];
        for (const each of steps) {
          if (typeof each === "number") {
            queue.push(each);
            model.push(each);
          } else if (each === "shift") {
            expect(queue.shift()).toBe(model.shift());
          } else if (each === "sweep") {
            queue.retain(isEven);
            model = model.filter(isEven);
          } else {
            queue.clear();
            model = [];
          }
          expect([queue.first(), queue.last(), queue.size]).toEqual([model[0], model.at(-1), model.length]);
        }
        expect(drained(queue)).toEqual(model);
      }),
    );
  });

  it("keeps the order if it grows while its first value is in the middle of the array", () => {
    for (let shifted = 0; shifted <= 16; shifted++) {
      const queue = queueOf(Array.from({ length: 16 }, (_, index) => index));
      for (let value = 0; value < shifted; value++) queue.shift();
      for (let value = 16; value < 40; value++) queue.push(value);
      expect(drained(queue)).toEqual(Array.from({ length: 40 - shifted }, (_, index) => shifted + index));
    }
  });

  it("sweeps all of its values, at any position in the array", () => {
    for (let shifted = 0; shifted <= 16; shifted++) {
      const queue = queueOf(Array.from({ length: 16 }, (_, index) => index));
      for (let value = 0; value < shifted; value++) {
        queue.shift();
        queue.push(16 + value);
      }
      const seen: number[] = [];
      queue.retain((value) => {
        seen.push(value);
        return isEven(value);
      });
      expect(seen).toEqual(Array.from({ length: 16 }, (_, index) => shifted + index));
      expect(drained(queue)).toEqual(seen.filter(isEven));
    }
  });

  it("returns undefined when it is empty", () => {
    const queue = queueOf([1, 2]);
    queue.clear();
    expect([queue.size, queue.first(), queue.last(), queue.shift(), queue.size]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      0,
    ]);
  });
});

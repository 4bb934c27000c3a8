import { describe, expect, it } from "vitest";
import { Arrivals, QuietWait } from "./arrivals.js";
import { Guard, rejectNone } from "../errors/guard.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

/** A wait whose count the test sets, and a log of its ends. */
function waiting(count = 1) {
  const clock = new ManualClock();
  const ends: string[] = [];
  const seen = { count };
  const wait = new QuietWait(
    clock,
    new Guard(undefined),
    rejectNone,
    () => seen.count,
    () => void ends.push("end"),
  );
  return { clock, ends, seen, wait, afterTurns: afterTurnsOf(clock) };
}

/** Runs `then` after this many microtasks, like a chain of promises. */
function afterTurnsOf(clock: ManualClock): (turns: number, then: () => void) => void {
  return function afterTurns(turns, then) {
    if (turns === 0) then();
    else clock.afterMicrotasks(() => afterTurns(turns - 1, then));
  };
}

describe("the wait for a burst to end", () => {
  it("ends once, however often it is started, and not inside the start", () => {
    const { clock, ends, wait } = waiting();
    wait.start();
    wait.start();
    expect([ends, wait.underWay !== null]).toEqual([[], true]);
    clock.endTask();
    expect([ends, wait.underWay !== null, clock.pending]).toEqual([["end"], false, 0]);
  });

  it("ends in the next microtask if no other request is expected", () => {
    const { clock, ends, wait } = waiting(Infinity);
    wait.start();
    let turns = 0;
    const count = () => {
      if (ends.length > 0) return;
      turns += 1;
      clock.afterMicrotasks(count);
    };
    clock.afterMicrotasks(count);
    clock.endTask();
    expect([ends, turns]).toEqual([["end"], 0]);
  });

  it("lasts while callers arrive whose promises take a few microtasks each", () => {
    const { clock, ends, seen, wait, afterTurns } = waiting();
    wait.start();
    afterTurns(15, () => {
      seen.count = 2;
      afterTurns(15, () => (seen.count = Infinity));
    });
    clock.endTask();
    expect(ends).toEqual(["end"]);
  });

  it("ends if the count does not grow for 16 microtasks", () => {
    const { clock, ends, wait, afterTurns } = waiting();
    const endsAfter: number[] = [];
    wait.start();
    afterTurns(15, () => endsAfter.push(ends.length));
    afterTurns(16, () => endsAfter.push(ends.length));
    clock.endTask();
    expect(endsAfter).toEqual([0, 1]);
  });

  it("does not end once it is cancelled", () => {
    const { clock, ends, wait } = waiting(Infinity);
    wait.start();
    wait.cancel();
    clock.endTask();
    expect([ends, wait.underWay !== null, clock.pending]).toEqual([[], false, 0]);
  });
});

/** Two callers have just been answered. `ask` sends a request after a number of microtask turns. */
function answered() {
  const clock = new ManualClock();
  const arrivals = new Arrivals();
  const wait = new QuietWait(
    clock,
    new Guard(undefined),
    rejectNone,
    () => arrivals.returned,
    () => arrivals.endReturns(),
  );
  const seen: boolean[] = [];
  const ask = (turns: number): void => afterTurnsOf(clock)(turns, () => seen.push(arrivals.arrived(10)));
  arrivals.answered(2, 10);
  wait.start();
  return { clock, arrivals, seen, ask };
}

describe("the wait for returning callers", () => {
  it("counts callers that enqueue within 16 microtask turns of the answers or of each other", () => {
    const { clock, arrivals, seen, ask } = answered();
    ask(15);
    ask(30);
    clock.endTask();
    expect(seen).toEqual([true, true]);
    expect(arrivals.haveReturned).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("ends after 16 turns in which no caller enqueues", () => {
    const { clock, seen, ask } = answered();
    ask(1);
    ask(19);
    clock.endTask();
    expect(seen).toEqual([true, false]);
  });

  it("ends with the microtasks, so that a later task has no returns", () => {
    const { clock, seen, ask } = answered();
    clock.endTask();
    expect(clock.pending).toBe(0);
    ask(0);
    expect(seen).toEqual([false]);
  });
});

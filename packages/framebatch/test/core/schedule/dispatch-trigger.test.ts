import { describe, expect, it } from "vitest";
import { DispatchTrigger } from "../../../src/core/schedule/wake-ups.js";
import { ManualClock } from "../../support/manual-clock.js";

function looking() {
  const clock = new ManualClock();
  const seen: string[] = [];
  const next = new DispatchTrigger(clock, () => void seen.push("look"));
  /** Runs `then` after this many microtasks, like a chain of promises. */
  const afterTurns = (turns: number, then: () => void): void => {
    if (turns === 0) then();
    else clock.afterMicrotasks(() => afterTurns(turns - 1, then));
  };
  return { clock, seen, next, afterTurns };
}

describe("the dispatch trigger", () => {
  it("fires once, however often it is requested, and not inside the request", () => {
    const { clock, seen, next } = looking();
    next.afterMicrotasks(() => 1);
    next.afterMicrotasks(() => 1);
    expect([seen, next.isPending]).toEqual([[], true]);
    clock.endTask();
    expect([seen, next.isPending, clock.pending]).toEqual([["look"], false, 0]);
  });

  it("fires in the next microtask if no other caller is expected", () => {
    const { clock, seen, next } = looking();
    next.afterMicrotasks(() => Infinity);
    let turns = 0;
    const count = () => {
      if (seen.length > 0) return;
      turns += 1;
      clock.afterMicrotasks(count);
    };
    clock.afterMicrotasks(count);
    clock.endTask();
    expect([seen, turns]).toEqual([["look"], 0]);
  });

  it("waits for callers whose promises take a few microtasks each", () => {
    const { clock, seen, next, afterTurns } = looking();
    let waiting = 1;
    next.afterMicrotasks(() => waiting);
    afterTurns(15, () => {
      waiting = 2;
      afterTurns(15, () => (waiting = Infinity));
    });
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("fires if no more callers arrive for 16 microtasks", () => {
    const { clock, seen, next, afterTurns } = looking();
    const seenAfter: number[] = [];
    next.afterMicrotasks(() => 1);
    afterTurns(15, () => seenAfter.push(seen.length));
    afterTurns(16, () => seenAfter.push(seen.length));
    clock.endTask();
    expect(seenAfter).toEqual([0, 1]);
  });

  it("does not fire once it is cancelled", () => {
    const { clock, seen, next } = looking();
    next.afterMicrotasks(() => Infinity);
    next.cancel();
    clock.endTask();
    expect([seen, next.isPending]).toEqual([[], false]);
  });
});

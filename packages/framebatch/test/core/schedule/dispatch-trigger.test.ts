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
  it("fires once at the end of the task, however often it is requested", () => {
    const { clock, seen, next } = looking();
    next.afterTask();
    next.afterTask();
    clock.drain();
    expect(seen).toEqual([]);
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("fires among the microtasks if no other caller is expected", () => {
    const { clock, seen, next } = looking();
    next.afterMicrotasks(() => Infinity);
    expect(seen).toEqual([]);
    clock.drain();
    expect(seen).toEqual(["look"]);
  });

  it("fires sooner if it was set for the end of the task, and only once", () => {
    const { clock, seen, next } = looking();
    next.afterTask();
    next.afterMicrotasks(() => Infinity);
    clock.drain();
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("waits for callers whose promises take a few microtasks each", () => {
    const { clock, seen, next, afterTurns } = looking();
    let waiting = 1;
    next.afterMicrotasks(() => waiting);
    afterTurns(3, () => {
      waiting = 2;
      afterTurns(3, () => (waiting = Infinity));
    });
    clock.drain();
    expect(seen).toEqual(["look"]);
  });

  it("fires at the end of the task if no more callers arrive", () => {
    const { clock, seen, next } = looking();
    next.afterMicrotasks(() => 1);
    clock.drain();
    expect(seen).toEqual([]);
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("does not fire once it is cancelled", () => {
    const { clock, seen, next } = looking();
    next.afterMicrotasks(() => Infinity);
    next.cancel();
    next.afterTask();
    next.cancel();
    clock.drain();
    clock.endTask();
    expect(seen).toEqual([]);
  });
});

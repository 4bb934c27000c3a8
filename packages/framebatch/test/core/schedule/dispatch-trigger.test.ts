import { describe, expect, it } from "vitest";
import { DispatchTrigger } from "../../../src/core/schedule/wake-ups.js";
import { ManualClock } from "../../support/manual-clock.js";

function looking() {
  const clock = new ManualClock();
  const seen: string[] = [];
  const next = new DispatchTrigger(clock, () => void seen.push("look"));
  /** Has a microtask come after so many others, as a chain of promises has it. */
  const afterTurns = (turns: number, then: () => void): void => {
    if (turns === 0) then();
    else clock.afterMicrotasks(() => afterTurns(turns - 1, then));
  };
  return { clock, seen, next, afterTurns };
}

describe("the next look", () => {
  it("comes once the task is over, however often it is asked for", () => {
    const { clock, seen, next } = looking();
    next.afterTask();
    next.afterTask();
    clock.drain();
    expect(seen).toEqual([]);
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("comes among the microtasks when nobody else is to be expected", () => {
    const { clock, seen, next } = looking();
    next.afterReturns(() => Infinity);
    expect(seen).toEqual([]);
    clock.drain();
    expect(seen).toEqual(["look"]);
  });

  it("comes sooner where it was to come after the task, and not again then", () => {
    const { clock, seen, next } = looking();
    next.afterTask();
    next.afterReturns(() => Infinity);
    clock.drain();
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("waits for callers whose promises take a few turns each", () => {
    const { clock, seen, next, afterTurns } = looking();
    let waiting = 1;
    next.afterReturns(() => waiting);
    afterTurns(3, () => {
      waiting = 2;
      afterTurns(3, () => (waiting = Infinity));
    });
    clock.drain();
    expect(seen).toEqual(["look"]);
  });

  it("comes after the task where no more callers come", () => {
    const { clock, seen, next } = looking();
    next.afterReturns(() => 1);
    clock.drain();
    expect(seen).toEqual([]);
    clock.endTask();
    expect(seen).toEqual(["look"]);
  });

  it("does not come once it is cancelled", () => {
    const { clock, seen, next } = looking();
    next.afterReturns(() => Infinity);
    next.cancel();
    next.afterTask();
    next.cancel();
    clock.drain();
    clock.endTask();
    expect(seen).toEqual([]);
  });
});

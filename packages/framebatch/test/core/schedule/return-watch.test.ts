import { describe, expect, it } from "vitest";
import { Arrivals } from "../../../src/core/schedule/arrivals.js";
import { ReturnWatch } from "../../../src/core/schedule/return-watch.js";
import { ManualClock } from "../../support/manual-clock.js";

/** Two callers have just been answered. `ask` sends a request after a number of microtask turns. */
function answered() {
  const clock = new ManualClock();
  const arrivals = new Arrivals();
  const watch = new ReturnWatch(clock, arrivals);
  const seen: boolean[] = [];
  const ask = (turns: number): void => {
    if (turns === 0) seen.push(arrivals.arrived(10));
    else clock.afterMicrotasks(() => ask(turns - 1));
  };
  arrivals.answered(2, 10);
  watch.start();
  return { clock, arrivals, watch, seen, ask };
}

describe("the watch for returning callers", () => {
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

  it("leaves no callback when it is ended", () => {
    const { clock, watch, seen, ask } = answered();
    watch.end();
    ask(0);
    expect(seen).toEqual([false]);
    expect(clock.pending).toBe(0);
  });
});

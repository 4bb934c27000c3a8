import { expect, it } from "vitest";
import { Batcher } from "../batcher/batcher.js";
import type { Engine } from "../engine/engine.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";

const BROKEN = new Error("broken");

/** A caller that asks again whenever it is rejected, of an engine whose runs fail at once. */
function retrying() {
  const clock = new ManualClock();
  let runs = 0;
  const engine: Engine<string, string> = {
    run: (_, done) => {
      runs += 1;
      clock.afterMicrotasks(() => done(isBroken() ? { error: BROKEN, divisible: false } : { results: ["well"] }));
    },
  };
  let isBroken = () => true;
  const batcher = new Batcher({ clock, frames: new ManualFrames(), engine, release: "idle", maxBatchSize: 4 });
  let answered = 0;
  const ask = (): void => {
    if (runs < 1000) batcher.enqueue("a", { resolve: () => (answered += 1), reject: ask });
  };
  return {
    clock,
    ask,
    repair: () => (isBroken = () => false),
    counts: () => ({ runs, answered }),
  };
}

it("a caller that asks again whenever it is rejected leaves the page time for other tasks", () => {
  const { clock, ask, repair, counts } = retrying();
  clock.schedule(0, repair);
  ask();
  clock.endTask();
  expect(counts()).toEqual({ runs: 65, answered: 0 });
  clock.advanceTo(0);
  expect(counts()).toEqual({ runs: 66, answered: 1 });
  ask();
  clock.endTask();
  expect(counts()).toEqual({ runs: 67, answered: 2 });
});

import { describe, expect, it } from "vitest";
import { LearnedCosts } from "./worker-findings.js";
import { ModelEventTarget } from "./model-events.js";
import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";

function learner() {
  const kept: CostModelData[] = [];
  let batches = 0;
  const learned = new LearnedCosts(
    () => ({
      version: 1,
      shapes: [{ size: batches, volume: 1, meanVolume: 1, meanMs: 1, deviationMs: 0, weight: 1 }],
    }),
    (costs) => kept.push(costs),
  );
  const run = (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      batches += 1;
      learned.onBatch();
    }
  };
  return { learned, run, keptAt: () => kept.map(({ shapes }) => shapes[0]?.size) };
}

describe("LearnedCosts", () => {
  it("saves the costs after 64 batches, and after each doubling", () => {
    const { run, keptAt } = learner();
    run(600);
    expect(keptAt()).toEqual([64, 128, 256, 512]);
  });

  it("saves the costs when the tab is hidden, unless nothing ran since the last save", () => {
    const { learned, run, keptAt } = learner();
    const frames = new ManualFrames();
    learned.saveWhenHidden(frames, new ModelEventTarget());
    frames.set(true);
    expect(keptAt()).toEqual([]);
    frames.set(false);
    run(3);
    expect(keptAt()).toEqual([]);
    frames.set(true);
    frames.set(false);
    frames.set(true);
    expect(keptAt()).toEqual([3]);
  });

  it("ignores the tab after the model is disposed", () => {
    const { learned, run, keptAt } = learner();
    const frames = new ManualFrames();
    const events = new ModelEventTarget();
    learned.saveWhenHidden(frames, events);
    run(3);
    events.dispatch("statechange", { state: "disposed", error: null });
    frames.set(true);
    expect(keptAt()).toEqual([]);
  });
});

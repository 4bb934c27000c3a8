import type { Dice } from "./dice.js";
import type { CallStep, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When the model is open, and has nothing else to do. */
const FROM_MS = 2000;
const FRAME_MS = 1000 / 60;

/** Widgets of a page ask once in each frame, or in some, each at its own time, for so long that it pays to wait for them. */
export function drawWidgets(dice: Dice): Omit<Scenario, "seed"> {
  const options = { executionProviders: ["wasm"], cache: false, verify: false };
  const subject: Subject = dice.chance(0.5)
    ? { kind: "model", page: 0, model: "affine", options }
    : { kind: "function", page: 0, options: {} };
  const delaysMs = Array.from({ length: 1 + dice.below(10) }, () => FRAME_MS * dice.random());
  const every = dice.pick([1, 1, 3]);
  const frames = Array.from({ length: 8 + dice.below(24) }, (_, frame) => every * frame);
  const times = frames.flatMap((frame) => delaysMs.map((delayMs) => FROM_MS + frame * FRAME_MS + delayMs));
  const calls = times
    .toSorted((one, other) => one - other)
    .map((atMs, index): CallStep => {
      const id = index + 1;
      return { atMs, do: "predict", subject: 0, call: id, items: [{ id }], options: {} };
    });
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const costs = { baseMs: dice.pick([1, 8, 20, 40]), rowMs: dice.pick([0.01, 0.5]) };
  return { ...costs, pages: 1, subjects: [subject], steps: [opens, ...calls], faults: [] };
}

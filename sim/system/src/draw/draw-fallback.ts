import type { Dice } from "./dice.js";
import type { CallStep, Fault, ItemSpec, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When the model has been checked on the GPU. */
const ASKED_AT_MS = 20_000;

/**
 * A batch is in progress when the GPU is lost, and the GPU is lost again while the model loads anew: it goes on without the GPU,
 * where its batches have not been checked.
 */
export function drawFallback(dice: Dice): Omit<Scenario, "seed"> {
  const options = { executionProviders: ["webgpu", "wasm"], cache: false, batching: { release: "window" } };
  const subject: Subject = { kind: "model", page: 0, model: "affine", options };
  const calls = dice
    .list(2, 6, () => ASKED_AT_MS)
    .map((atMs, index): CallStep => {
      const item: ItemSpec = { id: index + 1, ...(dice.chance(0.1) && { poison: "fail" }) };
      return { atMs, do: "predict", subject: 0, call: index + 1, items: [item], options: {} };
    });
  const lostAtMs = ASKED_AT_MS + 10 + dice.below(50);
  const loss = (atMs: number): Fault => ({ on: "time", atMs, does: "lose GPU" });
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const costs = { baseMs: dice.pick([8, 30, 60]), rowMs: 0.01 };
  const faults = [loss(lostAtMs), loss(lostAtMs + dice.below(150))];
  return { ...costs, pages: 1, subjects: [subject], steps: [opens, ...calls], faults };
}

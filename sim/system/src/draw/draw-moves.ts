import type { Dice } from "./dice.js";
import type { CallStep, ItemSpec, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When the model is open. */
const ASKED_AT_MS = 1000;

/**
 * Items wait that have moved to the worker of a model, when it gets another worker: those of handlers, some of which throw, or
 * large ones.
 */
export function drawMoves(dice: Dice): Omit<Scenario, "seed"> {
  const batching = dice.pick([
    { batching: { release: "window" }, maxQueueDelayMs: 40 },
    { maxBatchSize: dice.pick([1, 2]) },
  ]);
  const options = { executionProviders: ["wasm"], cache: false, verify: false, ...batching };
  const isHandled = dice.chance(0.6);
  const subject: Subject = isHandled
    ? { kind: "handled", page: 0, model: "affine", options }
    : { kind: "model", page: 0, model: "ragged", options: { ...batching, shared: dice.chance(0.7) } };
  const throws = isHandled && dice.chance(0.3);
  const calls = dice
    .list(3, 9, () => ASKED_AT_MS + dice.below(isHandled ? 60 : 10))
    .map((atMs, index): CallStep => {
      const item = isHandled ? itemOf(dice, index + 1, throws) : { id: index + 1, isLarge: dice.chance(0.7) };
      return {
        atMs,
        do: "predict",
        subject: 0,
        call: index + 1,
        items: [item],
        options: { transfer: dice.chance(0.7) },
      };
    });
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const restarts: Step[] = dice.chance(0.8) ? [{ atMs: ASKED_AT_MS + dice.below(80), do: "restart", subject: 0 }] : [];
  const costs = { baseMs: dice.pick([1, 8, 30]), rowMs: 0.01 };
  return { ...costs, pages: 1, subjects: [subject], steps: [opens, ...calls, ...restarts], faults: [] };
}

function itemOf(dice: Dice, id: number, throws: boolean): ItemSpec {
  const slow = dice.chance(0.3) && { slowMs: dice.pick([2, 10]) };
  if (!throws || !dice.chance(0.3)) return { id, ...slow };
  return { id, ...slow, act: { at: dice.below(2), does: "throw", thrown: "error" } };
}

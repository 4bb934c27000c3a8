import type { Dice } from "./dice.js";
import type { CallStep, Scenario, Step, Subject } from "./scenario.js";

/** When a model is open. */
const ASKED_AT_MS = 1000;

/** Calls, lists and streams meet in a queue with little room, replace each other by their keys, and leave. */
export function drawRoom(dice: Dice): Omit<Scenario, "seed"> {
  const options = {
    batching: dice.pick([{ release: "window" }, { release: "idle" }, {}]),
    maxQueueSize: dice.pick([1, 2, 3]),
    maxQueueDelayMs: dice.pick([1, 40]),
    ...(dice.chance(0.5) && { maxBatchSize: dice.pick([1, 2]) }),
  };
  const model = { executionProviders: ["wasm"], cache: false, verify: false };
  const subject: Subject = dice.chance(0.5)
    ? { kind: "function", page: 0, options }
    : { kind: "model", page: 0, model: "affine", options: { ...options, ...model } };
  let ids = 0;
  const calls = Array.from({ length: 4 + dice.below(9) }, (_, index): CallStep => {
    const kind = dice.pick(["predict", "predict", "predict", "stream", "many"]);
    const items = Array.from({ length: kind === "predict" ? 1 : 1 + dice.below(4) }, () => ({ id: (ids += 1) }));
    const own = kind === "predict" && dice.chance(0.4) ? { key: dice.pick(["a", "b"]) } : {};
    return { atMs: ASKED_AT_MS + dice.below(40), do: kind, subject: 0, call: index + 1, items, options: own };
  });
  const aborts = calls
    .filter(() => dice.chance(0.4))
    .map(({ atMs, call }): Step => ({ atMs: atMs + dice.below(30), do: "abort", call }));
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const costs = { baseMs: dice.pick([8, 30, 150]), rowMs: 0.01 };
  return { ...costs, pages: 1, subjects: [subject], steps: [opens, ...calls, ...aborts], faults: [] };
}

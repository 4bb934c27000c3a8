import type { Dice } from "./dice.js";
import { TIMEOUTS_MS } from "./draw-parts.js";
import type { CallOptions, CallStep, ItemSpec, PlainOptions, Scenario, Step, Subject } from "../scenario/scenario.js";
import { PRIORITIES } from "../scenario/priority.js";

/** When a model is open. */
const ASKED_AT_MS = 1000;

/** Calls, lists and streams meet in a queue with little room, replace or join each other, run out of time, and leave. */
export function drawRoom(dice: Dice): Omit<Scenario, "seed"> {
  const options = optionsOf(dice);
  const model = { executionProviders: ["wasm"], cache: false, verify: false };
  const subject: Subject = dice.chance(0.6)
    ? { kind: "function", page: 0, options }
    : { kind: "model", page: 0, model: "affine", options: { ...options, ...model } };
  const calls = callsOf(dice, "dedupe" in options);
  const aborts = calls
    .filter(() => dice.chance(0.3))
    .map(({ atMs, call }): Step => ({ atMs: atMs + dice.below(30), do: "abort", call }));
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const hides: Step[] = dice.chance(0.2) ? [{ atMs: ASKED_AT_MS, do: "hide", page: 0 }] : [];
  const costs = { baseMs: dice.pick([8, 30, 150]), rowMs: 0.01 };
  const steps = [opens, ...hides, ...calls, ...aborts];
  return { ...costs, pages: 1, subjects: [subject], steps, faults: [] };
}

function optionsOf(dice: Dice): PlainOptions {
  return {
    batching: dice.pick([{ release: "window" }, { release: "window" }, { release: "idle" }, {}]),
    maxQueueDelayMs: dice.pick([1, 40, 40]),
    ...(dice.chance(0.7) && { maxQueueSize: dice.pick([1, 1, 2, 3]) }),
    ...(dice.chance(0.5) && { maxBatchSize: dice.pick([1, 2]) }),
    ...(dice.chance(0.35) && { dedupe: true }),
  };
}

function callsOf(dice: Dice, areAlike: boolean): CallStep[] {
  let ids = 0;
  const isPlain = dice.chance(0.5);
  const share = dice.pick([0, 0, 0.1]);
  const item = (): ItemSpec => {
    ids += 1;
    return areAlike ? { id: 1 + (ids % 3) } : { id: ids, ...(dice.chance(share) && { poison: "hang" }) };
  };
  return Array.from({ length: dice.pick([3, 4 + dice.below(9), 4 + dice.below(9)]) }, (_, index): CallStep => {
    const kind = dice.pick(["predict", "predict", "predict", "stream", "many"]);
    const items = kind === "predict" ? [item()] : dice.list(1, 4, item);
    const key = kind === "predict" && dice.chance(0.4) && { key: dice.pick(["a", "b"]) };
    const options = { ...key, ...(isPlain ? {} : termsOf(dice)) };
    return {
      atMs: ASKED_AT_MS + dice.pick([0, dice.below(40)]),
      do: kind,
      subject: 0,
      call: index + 1,
      items,
      options,
    };
  });
}

function termsOf(dice: Dice): CallOptions {
  return {
    ...(dice.chance(0.5) && { timeoutMs: dice.pick(TIMEOUTS_MS) }),
    ...(dice.chance(0.25) && { priority: dice.pick(PRIORITIES) }),
  };
}

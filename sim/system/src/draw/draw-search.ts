import type { Dice } from "./dice.js";
import type { CallStep, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When the model is open, and has nothing else to do. */
const ASKED_AT_MS = 6000;

/** Time until a batch has all its items. */
const WINDOW_MS = 10;

/** A batch fails because of one item, and a caller leaves during the search for it; or because it is too large. */
export function drawSearch(dice: Dice): Omit<Scenario, "seed"> {
  const baseMs = dice.pick([1, 8, 30]);
  const subject = subjectOf(dice, baseMs);
  const count = dice.pick([2, 3, 4 + dice.below(5), 4 + dice.below(5)]);
  const culprit = 1 + dice.below(count);
  const calls = Array.from({ length: count }, (_, index) => callOf(index + 1, index + 1 === culprit));
  const leaves: Step = {
    atMs: ASKED_AT_MS + WINDOW_MS + baseMs * (1 + 3 * dice.random()),
    do: "abort",
    call: dice.pick([culprit, 1 + dice.below(count)]),
  };
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  return { baseMs, rowMs: 0.01, pages: 1, subjects: [subject], steps: [opens, ...calls, leaves], faults: [] };
}

/** A model on the device, or on a server, whose requests are stopped when nobody waits for them any more. */
function subjectOf(dice: Dice, delayMs: number): Subject {
  const batching = { release: "window" };
  const server = { isBinary: false, delayMs, batch: "dynamic", faults: [] } as const;
  if (dice.chance(0.4)) return { kind: "remote", page: 0, options: { batching }, server };
  const options = { executionProviders: ["wasm"], cache: false, verify: false, batching };
  return { kind: "model", page: 0, model: dice.pick(["affine", "affine", "filling"]), options };
}

function callOf(id: number, fails: boolean): CallStep {
  const item = { id, ...(fails && { poison: "fail" as const }) };
  return { atMs: ASKED_AT_MS, do: "predict", subject: 0, call: id, items: [item], options: {} };
}

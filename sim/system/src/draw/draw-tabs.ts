import type { Dice } from "./dice.js";
import type { CallStep, Fault, ItemSpec, PageStep, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When the first tabs have the model. */
const ASKED_AT_MS = 1000;

/** Tabs share a worker and ask at the same times, so that runs are merged. Some tabs leave or come, and the worker ends. */
export function drawTabs(dice: Dice): Omit<Scenario, "seed"> {
  const pages = dice.pick([2, 3, 3]);
  const places = Array.from({ length: pages }, (_, page) => page);
  const options = { executionProviders: ["wasm"], cache: dice.chance(0.3), verify: false, shared: true };
  const batching = dice.pick([{}, { batching: { release: "idle" } }, { batching: { release: "window" } }]);
  const subjects = places.map((page): Subject => ({
    kind: "model",
    page,
    model: "affine",
    options: { ...options, ...batching },
  }));
  const costs = { baseMs: dice.pick([1, 8, 30]), rowMs: dice.pick([0.01, 0.01, 0.5]) };
  const rounds = 3 + dice.below(8);
  const endMs = ASKED_AT_MS + rounds * 2 * costs.baseMs;
  const comesLate = dice.chance(0.5) ? endMs + dice.below(1000) : 100;
  const opens = places.map((subject): Step => {
    return { atMs: subject === pages - 1 ? comesLate : dice.pick([0, dice.below(50)]), do: "open", subject };
  });
  const calls = callsOf(dice, places, rounds, costs.baseMs);
  const faults = dice.chance(0.5) ? faultsOf(dice, dice.below(endMs)) : [];
  const turns = dice.chance(0.5) ? [turnOf(dice, endMs, pages)] : [];
  return { ...costs, pages, subjects, steps: [...opens, ...calls, ...turns], faults };
}

function callsOf(dice: Dice, places: readonly number[], rounds: number, baseMs: number): CallStep[] {
  let ids = 0;
  const share = dice.pick([0, 0.1]);
  const item = (): ItemSpec => ({ id: (ids += 1), ...(dice.chance(share) && { poison: "fail" }) });
  const times = Array.from({ length: rounds }, (_, round) => ASKED_AT_MS + round * baseMs * dice.pick([1, 1, 3]));
  const calls = times.flatMap((atMs) => places.map((subject) => ({ atMs, subject })));
  return calls.map(({ atMs, subject }, index) => {
    return { atMs, do: "many", subject, call: index + 1, items: dice.list(1, 3, item), options: {} };
  });
}

/** The worker ends, and perhaps the file is another one by then. */
function faultsOf(dice: Dice, atMs: number): Fault[] {
  const kill: Fault = { on: "time", atMs, does: "kill" };
  return dice.chance(0.5) ? [{ on: "time", atMs: atMs * dice.random(), does: "deploy" }, kill] : [kill];
}

function turnOf(dice: Dice, endMs: number, pages: number): PageStep {
  return { atMs: dice.below(endMs), do: dice.pick(["hide", "crash"]), page: dice.below(pages) };
}

import type { Dice } from "./dice.js";
import type { CallStep, Fault, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When every load has ended. */
const ASKED_AT_MS = 400_000;

const PASSING = ["slow", "trickle", "cut", "429", "503"] as const;
const BREAKING = [...PASSING, "late", "stall", "page", "offline"] as const;
const STORE_FAULTS = ["block store", "abort store", "close store", "evict"] as const;

/** Tabs load the same model, each in a worker of its own and with the cache, while the server or the store fails. */
export function drawLoading(dice: Dice): Omit<Scenario, "seed"> {
  const pages = dice.pick([1, 2, 2, 3]);
  const options = { executionProviders: ["wasm"], cache: true, verify: false };
  const places = Array.from({ length: pages }, (_, page) => page);
  const subjects = places.map((page): Subject => ({ kind: "model", page, model: "affine", options }));
  const spreadMs = dice.pick([1, 60, 30_000]);
  const opens = places.map((subject): Step => ({
    atMs: subject === 0 ? 0 : dice.below(spreadMs),
    do: "open",
    subject,
  }));
  // The tab that downloads falls asleep, and others wait for it.
  const sleeps: Step[] = pages > 1 && dice.chance(0.15) ? [{ atMs: dice.below(60), do: "freeze", page: 0 }] : [];
  const asks = places.map((subject): CallStep => {
    return { atMs: ASKED_AT_MS, do: "predict", subject, call: subject + 1, items: [{ id: subject + 1 }], options: {} };
  });
  return { baseMs: 1, rowMs: 0.01, pages, subjects, steps: [...opens, ...sleeps, ...asks], faults: faultsOf(dice) };
}

function faultsOf(dice: Dice): Fault[] {
  if (dice.chance(0.35)) return [{ on: "time", atMs: dice.below(60), does: dice.pick(STORE_FAULTS) }];
  const kinds = dice.pick([PASSING, BREAKING]);
  return dice.list(0, 2, (): Fault => ({ on: "request", nth: dice.below(3), does: dice.pick(kinds) }));
}

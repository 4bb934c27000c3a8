import type { Dice } from "./dice.js";
import type { CallStep, Fault, Scenario, Step, Subject } from "../scenario/scenario.js";

const DEPLOYED_AT_MS = 200;
const ENDED_AT_MS = 300;

/** The worker of a hub's model ends when its file is another one: while the hub loads the new version, calls come. */
export function drawRenewal(dice: Dice): Omit<Scenario, "seed"> {
  const options = { executionProviders: ["wasm"], cache: false, verify: false };
  const subject: Subject = { kind: "hub", page: 0, options: {}, models: [{ is: "plain", options }] };
  const spreadMs = dice.pick([100, 400, 4000]);
  const times = [0, ENDED_AT_MS, ...dice.list(3, 10, () => ENDED_AT_MS + dice.below(spreadMs))];
  const calls = times.map((atMs, index): CallStep => {
    return { atMs, do: "predict", subject: 0, call: index + 1, items: [{ id: index + 1 }], options: {} };
  });
  const faults: Fault[] = [
    { on: "time", atMs: DEPLOYED_AT_MS, does: "deploy" },
    { on: "time", atMs: ENDED_AT_MS, does: "kill" },
    ...(dice.chance(0.5) ? [{ on: "request", nth: dice.pick([1, 2]), does: "slow" } as const] : []),
  ];
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  return { baseMs: 1, rowMs: 0.01, pages: 1, subjects: [subject], steps: [opens, ...calls], faults };
}

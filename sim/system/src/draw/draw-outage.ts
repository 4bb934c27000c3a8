import type { Dice } from "./dice.js";
import type { CallStep, Scenario, Step, Subject } from "../scenario/scenario.js";

/** A server fails requests while the device still loads the model, for which they wait then. */
export function drawOutage(dice: Dice): Omit<Scenario, "seed"> {
  const options = { executionProviders: ["wasm"], cache: false, verify: false };
  const does = dice.pick(["404", "429", "503", "cut"] as const);
  const faults = [{ nth: dice.below(3), until: 50, does }];
  const server = { isBinary: false, delayMs: dice.pick([0.5, 5, 30]), batch: "dynamic", faults } as const;
  const mode = dice.pick(["prefer-on-device", "prefer-in-cloud"]);
  const subject: Subject = { kind: "hybrid", page: 0, model: "affine", options, server, remote: { mode } };
  const calls = dice
    .list(1, 6, () => dice.below(3000))
    .map((atMs, index): CallStep => {
      return { atMs, do: "predict", subject: 0, call: index + 1, items: [{ id: index + 1 }], options: {} };
    });
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const slow = { on: "request", nth: 0, does: "slow" } as const;
  return { baseMs: 1, rowMs: 0.01, pages: 1, subjects: [subject], steps: [opens, ...calls], faults: [slow] };
}

import type { Dice } from "./dice.js";
import type { Scenario, Step, Subject } from "../scenario/scenario.js";

/** A model is disposed of while it loads again, because its worker has ended, and the server is slow then. */
export function drawLeaving(dice: Dice): Omit<Scenario, "seed"> {
  const options = { executionProviders: ["wasm"], cache: false, verify: false };
  const kind = dice.pick(["model", "handled"] as const);
  const subject: Subject = { kind, page: 0, model: "affine", options };
  const endsAtMs = 200 + dice.below(100);
  const steps: Step[] = [
    { atMs: 0, do: "open", subject: 0 },
    { atMs: endsAtMs - 50, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
    { atMs: endsAtMs + dice.below(30), do: "predict", subject: 0, call: 2, items: [{ id: 2 }], options: {} },
    { atMs: endsAtMs + dice.below(2000), do: "dispose", subject: 0 },
  ];
  const faults = [
    { on: "time", atMs: endsAtMs, does: "kill" },
    { on: "request", nth: 1, does: dice.pick(["slow", "late", "stall"]) },
  ] as const;
  return { baseMs: 1, rowMs: 0.01, pages: 1, subjects: [subject], steps, faults };
}

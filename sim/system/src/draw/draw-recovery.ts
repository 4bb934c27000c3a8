import type { Dice } from "./dice.js";
import type { CallStep, PlainOptions, Scenario, Step, Subject } from "../scenario/scenario.js";

/** When the model is open. */
const ASKED_AT_MS = 1000;

/**
 * The worker of sequences ends in the middle of their steps, and callers leave while it is replaced. Some have handlers that
 * remember, and calls beside the sequences whose handlers take their time: what was in that worker then runs alone.
 */
export function drawRecovery(dice: Dice): Omit<Scenario, "seed"> {
  const isRemembered = dice.chance(0.5);
  const batching: PlainOptions = dice.pick([
    {},
    { batching: false },
    { batching: { release: "idle" } },
    { batching: { release: "window" } },
  ]);
  const options = { executionProviders: ["wasm"], cache: false, verify: false, ...batching };
  const sequences = dice.list(1, 3, () => (dice.chance(0.7) ? { snapshotEvery: dice.pick([1, 2, 3]) } : {}));
  const model = isRemembered ? "rnn" : dice.pick(["rnn", "twin"] as const);
  const subject: Subject = {
    kind: "sequences",
    page: 0,
    model,
    options,
    sequences,
    ...(isRemembered && { isRemembered }),
  };
  const baseMs = dice.pick([8, 30]);
  const endsAtMs = ASKED_AT_MS + dice.below(4 * baseMs);
  const steps = sequences.flatMap((_, part) => dice.list(2, 6, () => ({ part })));
  const others = isRemembered ? dice.list(0, 3, () => ({})) : [];
  const calls = [...steps, ...others].map((part, index): CallStep => {
    const atMs = ASKED_AT_MS + dice.below(5 * baseMs);
    const item = { id: index + 1, ...(!("part" in part) && { slowMs: dice.pick([1, 1.5, 4]) * baseMs }) };
    return { atMs, do: "predict", subject: 0, ...part, call: index + 1, items: [item], options: {} };
  });
  const leaves = calls
    .filter(() => dice.chance(0.3))
    .map(({ atMs, call }): Step => ({ atMs: Math.max(atMs, endsAtMs + dice.below(4 * baseMs)), do: "abort", call }));
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  const kill = { on: "time", atMs: endsAtMs, does: "kill" } as const;
  return { baseMs, rowMs: 0.01, pages: 1, subjects: [subject], steps: [opens, ...calls, ...leaves], faults: [kill] };
}

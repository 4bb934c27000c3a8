import type { Dice } from "./dice.js";
import type { LinkedSpec } from "../scenario/kinds.js";
import { PRIORITIES } from "../scenario/priority.js";
import type { CallStep, Fault, Scenario, Step, Subject } from "../scenario/scenario.js";

/** Models read what others have left in the worker of their group, while it may end, and callers leave. */
export function drawLinks(dice: Dice): Omit<Scenario, "seed"> {
  const subject: Subject = { kind: "pipeline", page: 0, options: {}, steps: dice.list(1, 2, () => drawLinked(dice)) };
  const startMs = dice.pick([0, 100, 300]);
  const spreadMs = dice.pick([1, 30, 100]);
  const times = dice.list(2, 14, () => startMs + dice.below(spreadMs));
  const late = dice.chance(0.3) ? dice.list(1, 3, () => 2000 + dice.below(60_000)) : [];
  const calls = [...times, ...late].map((atMs, index) => drawCall(dice, index, atMs));
  const aborts = calls
    .filter(() => dice.chance(0.15))
    .map(({ atMs, call }): Step => ({ atMs: atMs + dice.pick([0, 0.5, 5, 20, 60]), do: "abort", call }));
  const ends: Step[] = dice.chance(0.1) ? [{ atMs: startMs + dice.below(200), do: "dispose", subject: 0 }] : [];
  const faults = dice.chance(0.5) ? dice.list(1, 2, () => drawFault(dice, startMs)) : [];
  const costs = { baseMs: dice.pick([0.2, 1, 8, 30]), rowMs: dice.pick([0.01, 0.5]) };
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  return { ...costs, pages: 1, subjects: [subject], steps: [opens, ...calls, ...aborts, ...ends], faults };
}

/** Draws models that are linked. Some groups have hardly room for what they keep. */
export function drawLinked(dice: Dice): LinkedSpec {
  const by = dice.pick(["links", "links", "handles"]);
  const options = {
    ...(dice.chance(0.5) && { batching: dice.pick([false, { release: "idle" }, { release: "window" }]) }),
    ...(dice.chance(0.5) && { maxBatchSize: dice.pick([1, 2, 4]) }),
    // Two requests read each handle: with little room, some are refused again and again.
    ...(by === "links" && dice.chance(0.1) && { maxQueueSize: dice.pick([2, 8]) }),
    ...(!dice.chance(0.3) && { verify: false }),
    cache: false,
    warmup: dice.chance(0.2),
  };
  const group = {
    executionProviders: dice.pick([["wasm"], ["webgpu", "wasm"]]),
    ...(dice.chance(0.2) && { maxKeptBytes: dice.pick([0, 16, 64]) }),
  };
  return { do: "linked", by, models: 2 + dice.below(2), group, options };
}

function drawCall(dice: Dice, index: number, atMs: number): CallStep {
  const kind = dice.pick(["predict", "predict", "predict", "stream", "many"]);
  const count = kind === "predict" ? 1 : 1 + dice.below(4);
  return {
    atMs,
    do: kind,
    subject: 0,
    call: index + 1,
    items: Array.from({ length: count }, (_, at) => ({ id: 4 * index + at + 1 })),
    options: {
      ...(dice.chance(0.2) && { priority: dice.pick(PRIORITIES) }),
      ...(dice.chance(0.1) && { timeoutMs: dice.pick([5, 50, 500]) }),
      ...(kind === "predict" && dice.chance(0.1) && { key: dice.pick(["a", "b"]) }),
    },
    ...(kind === "stream" && dice.chance(0.2) && { take: dice.below(3) }),
  };
}

function drawFault(dice: Dice, startMs: number): Fault {
  if (dice.chance(0.5))
    return { on: "time", atMs: startMs + dice.below(150), does: dice.pick(["kill", "kill", "lose GPU"]) };
  return { on: "run", nth: dice.below(20), does: dice.pick(["trap", "slow", "oom", "exit", "fail", "hang"]) };
}

import type { Dice } from "./dice.js";
import type { CallStep, FunctionSubject, PlainOptions, Scenario, Step } from "../scenario/scenario.js";

/** A function with a bound on latency is asked at equal times, about as fast as it can answer. */
export function drawRush(dice: Dice): Omit<Scenario, "seed"> {
  const baseMs = dice.pick([8, 30, 150]);
  const subject: FunctionSubject = {
    kind: "function",
    page: 0,
    options: limitsOf(dice, baseMs),
    ...(dice.chance(0.7) && { isSerial: true }),
  };
  const periodMs = baseMs * dice.pick([0.1, 0.3, 0.5, 0.8, 1.1]);
  const urgentShare = dice.pick([1, 0.6, 0.15]);
  const calls = Array.from({ length: 10 + dice.below(30) }, (_, at): CallStep => ({
    atMs: 20 + at * periodMs,
    do: "predict",
    subject: 0,
    call: at + 1,
    items: [{ id: at + 1 }],
    options: dice.chance(urgentShare) ? {} : { priority: "background" },
  }));
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  return { baseMs, rowMs: 0.01, pages: 1, subjects: [subject], steps: [opens, ...calls], faults: [] };
}

/** The bound has room for one run, for which calls may wait, or for several of which each has one item. */
function limitsOf(dice: Dice, baseMs: number): PlainOptions {
  const one = { maxLatencyMs: baseMs * 1.03 };
  const window = { batching: { release: "window" }, maxQueueDelayMs: baseMs * 0.4 };
  const several = { maxLatencyMs: baseMs * 8 + 150, maxBatchSize: 1 };
  return dice.pick([{ ...one, batching: dice.pick([false, { release: "idle" }]) }, { ...one, ...window }, several]);
}

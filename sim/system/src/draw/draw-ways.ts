import { type ModelName, POISONED_BELOW } from "../runtime/models.js";
import type { Dice } from "./dice.js";
import type { CallStep, Fault, ItemSpec, PlainOptions, Scenario, Speeds, Step, Subject } from "../scenario/scenario.js";

/** When the first calls come, in milliseconds. */
const ASKED_AT_MS = 200;

const MODEL_NAMES: readonly ModelName[] = ["affine", "affine", "bulky", "skewed", "skewedbulky", "gpumixed", "ragged"];

/**
 * A model is called for so long that its page compares its way to run with others, some of which are faster or wrong. Some
 * models are opened again when their ways are known, and some pages have two of them, of which one compares at a time.
 */
export function drawWays(dice: Dice): Omit<Scenario, "seed"> {
  const costs = { baseMs: dice.pick([30, 50]), rowMs: dice.pick([0.01, 0.01, 2]) };
  const speeds = { gpu: dice.pick([0.3, 1, 1.6, 4]), threads: dice.pick([0.5, 1.2, 2]), ...mannersOf(dice) };
  const rounds = dice.pick([150, 300, 600]);
  const model = dice.pick(MODEL_NAMES);
  const options = optionsOf(dice, model);
  const everyMs = 2 * costs.baseMs;
  const endMs = ASKED_AT_MS + rounds * everyMs;
  const pages = dice.pick([1, 1, 1, 2]);
  const subject = (page: number): Subject => ({ kind: "model", page, model, options });
  const visits = pages === 1 && dice.chance(0.3) ? [0, endMs + 1000] : [0];
  const openings = pages === 2 ? [0, 1].map((page) => ({ page, atMs: 0 })) : visits.map((atMs) => ({ page: 0, atMs }));
  const subjects = openings.map(({ page }) => subject(page));
  const opens = openings.map(({ atMs }, index): Step => ({ atMs, do: "open", subject: index }));
  const leaves = visits.length > 1 ? [{ atMs: endMs + 500, do: "dispose" as const, subject: 0 }] : [];
  const calls = new Calls(dice, model === "ragged", "resultCacheSize" in options, everyMs).of(openings, rounds);
  const isDisturbed = dice.chance(0.5);
  const faults = isDisturbed ? dice.list(0, 3, () => faultOf(dice, endMs, rounds)) : [];
  const others = isDisturbed ? dice.list(0, 2, () => otherOf(dice, endMs)) : [];
  const isIsolated = dice.chance(0.5);
  const steps = [...opens, ...leaves, ...calls, ...others.flat()];
  return { ...costs, speeds, pages, subjects, steps, faults, ...(isIsolated && { isIsolated }) };
}

/** Some ways are fast only after a while, or only with single rows. */
function mannersOf(dice: Dice): Pick<Speeds, "lateMs" | "areForOne"> {
  return dice.pick([{}, {}, { lateMs: 2000 }, { areForOne: true }]);
}

/** Nothing tells a model whose rows mix on the GPU alone if its caller wants no check. */
function optionsOf(dice: Dice, model: ModelName): PlainOptions {
  return {
    ...(dice.chance(0.4) && { batching: dice.pick([false, { release: "idle" }, { release: "window" }]) }),
    ...(dice.chance(0.2) && { maxBatchSize: dice.pick([1, 4]) }),
    ...(model !== "gpumixed" && dice.chance(0.15) && { verify: false }),
    ...(dice.chance(0.2) && { warmup: false }),
    ...(dice.chance(0.15) && { instances: 2 }),
    ...(dice.chance(0.05) && { cache: false }),
    ...(dice.chance(0.15) && { executionProviders: ["webgpu", "wasm"] }),
    ...(dice.chance(0.1) && { maxLatencyMs: 200 }),
    ...(dice.chance(0.2) && { resultCacheSize: dice.pick([1, 4]) }),
  };
}

class Calls {
  readonly #dice: Dice;
  readonly #areSized: boolean;
  readonly #areRepeated: boolean;
  readonly #everyMs: number;
  #calls = 0;
  #items = 0;

  /** @param areSized whether its items have any length @param areRepeated whether some are those of calls before */
  constructor(dice: Dice, areSized: boolean, areRepeated: boolean, everyMs: number) {
    this.#dice = dice;
    this.#areRepeated = areRepeated;
    this.#everyMs = everyMs;
    this.#areSized = areSized;
  }

  of(openings: readonly { readonly atMs: number }[], rounds: number): CallStep[] {
    const share = this.#dice.pick([0, 0, 0.005]);
    return openings.flatMap(({ atMs }, subject) =>
      Array.from({ length: rounds }, (_, round) =>
        this.#call(subject, atMs + ASKED_AT_MS + round * this.#everyMs, share),
      ),
    );
  }

  #call(subject: number, atMs: number, share: number): CallStep {
    const dice = this.#dice;
    const items = dice.chance(0.1) ? dice.list(2, 3, () => this.#item(share)) : [this.#item(share)];
    const kind = items.length > 1 ? "many" : "predict";
    const options = dice.chance(0.05) ? { transfer: true } : {};
    return { atMs: atMs + dice.below(10), do: kind, subject, call: (this.#calls += 1), items, options };
  }

  #item(share: number): ItemSpec {
    const dice = this.#dice;
    if (this.#areRepeated && this.#items > 0 && dice.chance(0.5))
      return { id: Math.max(1, this.#items - dice.below(4)) };
    const id = (this.#items += 1);
    const poison = id < POISONED_BELOW &&
      dice.chance(share) && { poison: dice.pick(["fail", "fail", "trap", "hang"] as const) };
    return { id, ...poison, ...(this.#areSized && dice.chance(0.05) && { isLarge: true }) };
  }
}

function faultOf(dice: Dice, endMs: number, rounds: number): Fault {
  if (dice.chance(0.5)) {
    const does = dice.pick(["fail", "trap", "hang", "slow", "oom", "exit"] as const);
    return { on: "run", nth: dice.below(rounds * 1.5), does };
  }
  const does = dice.pick(["kill", "kill", "lose GPU", "evict", "deploy", "fill store", "abort store"] as const);
  return { on: "time", atMs: dice.below(endMs), does };
}

function otherOf(dice: Dice, endMs: number): Step[] {
  const atMs = dice.below(endMs);
  const kind = dice.pick(["hide", "dispose", "restart", "freeze", "crash", "busy"] as const);
  switch (kind) {
    case "hide":
      return [
        { atMs, do: "hide", page: 0 },
        { atMs: atMs + dice.pick([500, 8000]), do: "show", page: 0 },
      ];
    case "freeze":
      return [
        { atMs, do: "freeze", page: 0 },
        { atMs: atMs + dice.pick([500, 70_000]), do: "thaw", page: 0 },
      ];
    case "busy":
      return [{ atMs, do: "busy", page: 0, ms: 60 }];
    case "crash":
      return [{ atMs, do: "crash", page: 0 }];
    default:
      return [{ atMs, do: kind, subject: 0 }];
  }
}

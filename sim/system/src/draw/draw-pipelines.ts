import { ACTS } from "./draw-kinds.js";
import { drawSteps, TIMEOUTS_MS } from "./draw-parts.js";
import type { Dice } from "./dice.js";
import { PRIORITIES } from "../scenario/priority.js";
import type { CallOptions, CallStep, ItemSpec, PlainOptions, Scenario, Step, Subject } from "../scenario/scenario.js";
import { SOURCE_KINDS } from "../scenario/source-kinds.js";
import { THROWN } from "../scenario/thrown.js";

/** A pipeline of functions, with more items and parts than its stages have slots. */
export function drawPipelines(dice: Dice): Omit<Scenario, "seed"> {
  const mostParts = dice.pick([2, 4, 20]);
  const kinds = ["call", "call", "batch", "batch", "nest", "split", "split"] as const;
  const steps = drawSteps(dice, 2, { kinds, mostParts, batching: drawBatching(dice) });
  const subject: Subject = { kind: "pipeline", page: 0, options: {}, steps };
  const draw = new CallDraw(dice, mostParts > 4 ? 4 : 24);
  const calls = dice.list(1, 6, () => draw.call());
  const aborts = calls
    .filter(() => dice.chance(0.2))
    .map(({ atMs, call }): Step => ({ atMs: atMs + dice.pick([0, 0.5, 5, 20, 60, 200]), do: "abort", call }));
  const ends: Step[] = dice.chance(0.1) ? [{ atMs: 20 + dice.below(200), do: "dispose", subject: 0 }] : [];
  const opens: Step = { atMs: 0, do: "open", subject: 0 };
  return {
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [subject],
    steps: [opens, ...calls, ...aborts, ...ends],
    faults: [],
  };
}

/** Many stages have so little room that the parts of a stream wait for it. */
function drawBatching(dice: Dice): () => PlainOptions {
  const isSmall = dice.chance(0.5);
  return () => ({
    ...(dice.chance(0.6) && { batching: dice.pick([false, { release: "idle" }, { release: "window" }, {}]) }),
    ...(dice.chance(0.6) && { maxBatchSize: dice.pick([1, 2, 8]) }),
    ...(isSmall && { maxQueueSize: dice.pick([1, 2, 8]) }),
    ...(dice.chance(0.1) && { maxLatencyMs: dice.pick([20, 200]) }),
  });
}

class CallDraw {
  readonly #dice: Dice;
  readonly #mostItems: number;
  #calls = 0;
  #items = 0;

  constructor(dice: Dice, mostItems: number) {
    this.#dice = dice;
    this.#mostItems = mostItems;
  }

  call(): CallStep {
    const dice = this.#dice;
    const kind = dice.pick(["predict", "predict", "stream", "stream", "many"]);
    const most = kind === "predict" ? 1 : this.#mostItems;
    const source = kind === "predict" || dice.chance(0.7) ? "list" : dice.pick(SOURCE_KINDS);
    return {
      atMs: 20 + dice.below(dice.pick([1, 30, 200])),
      do: kind,
      subject: 0,
      call: (this.#calls += 1),
      items: dice.list(1, most, () => this.#item()),
      options: this.#options(kind),
      ...(source !== "list" && { source }),
      ...(kind === "stream" && dice.chance(0.2) && { take: dice.below(3) }),
      ...(dice.chance(0.05) && { leaves: true }),
    };
  }

  #options(kind: CallStep["do"]): CallOptions {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.25) && { priority: dice.pick(PRIORITIES) }),
      ...(dice.chance(0.15) && { timeoutMs: dice.pick(TIMEOUTS_MS) }),
      ...(kind === "predict" && dice.chance(0.3) && { key: dice.pick(["a", "b"]) }),
    };
  }

  #item(): ItemSpec {
    const dice = this.#dice;
    const id = (this.#items += 1);
    if (!dice.chance(0.06)) return { id };
    return { id, act: { at: dice.below(6), does: dice.pick(ACTS.pipeline), thrown: dice.pick(THROWN) } };
  }
}

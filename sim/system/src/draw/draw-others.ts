import type { Random } from "../../../batcher/model/random.js";
import type { Poison } from "../runtime/models.js";
import { Dice } from "./dice.js";
import { type SourceKind, SOURCE_KINDS } from "../scenario/source-kinds.js";
import {
  drawAgain,
  drawServer,
  drawSteps,
  TIMEOUTS_MS,
  withSizedItems,
  drawForEngine,
  SOURCES_OF_LISTS,
} from "./draw-parts.js";
import type { HostedSubject } from "../scenario/kinds.js";
import type {
  CallOptions,
  CallStep,
  Fault,
  FunctionSubject,
  ItemSpec,
  PlainOptions,
  Scenario,
  Step,
} from "../scenario/scenario.js";
import { THROWN } from "../scenario/thrown.js";
import { PRIORITIES } from "../scenario/priority.js";
import { ACTS, type Kind, KINDS } from "./draw-kinds.js";

const ALLOWED_SIZES = { allowedBatchSizes: [2, 4, 8], maxBatchSize: 8 };

/** Draws scenarios of one page with functions of hostile callers, pipelines, hubs, servers and handlers. */
export function drawOthers(seed: number, random: Random): Scenario {
  return new OthersDraw(new Dice(random)).scenario(seed);
}

class OthersDraw {
  readonly #dice: Dice;
  #calls = 0;
  #items = 0;
  /** The items of the subject so far. */
  #drawn: ItemSpec[] = [];
  /** Runs of slow handlers overtake each other. */
  readonly #hasSlowHandlers: boolean;
  /** Time of a run with one item. */
  #onceMs = 1;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#hasSlowHandlers = dice.chance(0.4);
  }

  scenario(seed: number): Scenario {
    const dice = this.#dice;
    const costs = { baseMs: dice.pick([0.2, 1, 8, 30, 150]), rowMs: dice.pick([0.01, 0.5, 3]) };
    this.#onceMs = costs.baseMs + costs.rowMs;
    if (dice.chance(0.12))
      return { seed, ...costs, pages: 1, ...drawAgain(dice, (atMs) => this.#call("hub", 1, atMs)) };
    const subjects = dice.list(1, 2, () => this.#subject());
    const steps = subjects.flatMap((subject, index) => this.#steps(subject, index));
    const opens = subjects.map((_, subject): Step => ({ atMs: 0, do: "open", subject }));
    const faults = dice.chance(0.3) ? dice.list(1, 2, () => this.#fault()) : [];
    // Rows that a worker had when it ended may be asked of a server.
    if (subjects.some((subject) => subject.kind === "hybrid" && subject.model === "ragged") && dice.chance(0.6))
      faults.push({ on: "run", nth: dice.below(4), does: "exit" });
    // A server may fail requests that then wait for the device.
    if (subjects.every(({ kind }) => kind === "hybrid") && dice.chance(0.3))
      faults.push({ on: "request", nth: 0, does: "slow" });
    if (subjects.every(({ kind }) => kind === "hub") && dice.chance(0.5))
      faults.push({ on: "time", atMs: dice.below(400), does: "deploy" });
    return { seed, ...costs, pages: 1, subjects, steps: [...opens, ...withSizedItems(subjects, steps)], faults };
  }

  #subject(): HostedSubject | FunctionSubject {
    const dice = this.#dice;
    const kind = dice.pick(KINDS);
    const near = { maxLatencyMs: dice.pick([200, this.#onceMs * 1.03]) };
    const own =
      kind === "function" ? dice.pick([{}, ALLOWED_SIZES, { ...ALLOWED_SIZES, batching: false }, near, near]) : {};
    const options = { ...this.#batching(kind), ...own };
    const model = { executionProviders: ["wasm"], cache: false, warmup: false, verify: false };
    switch (kind) {
      case "function":
        return this.#function(options);
      case "remote":
        return { kind, page: 0, options, server: drawServer(dice) };
      case "hybrid": {
        const isWide = dice.chance(0.25);
        const modes = ["prefer-on-device", "prefer-in-cloud", isWide ? "prefer-on-device" : "prefer-in-cloud"];
        const mode = dice.pick([...modes, "only-in-cloud"]);
        const remote = { mode, ...(dice.chance(0.3) && { runTimeoutMs: 2000 }) };
        const server = { ...drawServer(dice), ...(isWide && { isWide }) };
        return {
          kind,
          page: 0,
          model: isWide ? "ragged" : "affine",
          options: { ...options, ...model },
          server,
          remote,
        };
      }
      case "pipeline":
        return { kind, page: 0, options: {}, steps: drawSteps(dice, 2, { batching: this.#batchingOfStages() }) };
      case "hub": {
        const models = dice.list(1, 3, () => {
          const is = dice.pick(["plain", "plain", "plain", "handled", "missing"]);
          return { is, options: { ...this.#batching(is === "handled" ? is : kind), ...model } };
        });
        const group = { executionProviders: ["wasm"], ...(dice.chance(0.5) && { maxMemoryBytes: 6e7 }) };
        return {
          kind,
          page: 0,
          options: dice.chance(0.6) ? { memoryBudgetBytes: 6e7 } : {},
          models,
          ...(dice.chance(0.3) && { group }),
        };
      }
      case "engine":
        return { kind, page: 0, options: { ...options, ...drawForEngine(dice) } };
      case "handled":
        return { kind, page: 0, model: "affine", options: { ...options, ...model, ...this.#overtaking() } };
    }
  }

  /** Small runs, so that one overtakes another whose `preprocess` waits. */
  #overtaking(): PlainOptions {
    const dice = this.#dice;
    return this.#hasSlowHandlers && dice.chance(0.7)
      ? { batching: dice.pick([false, { release: "idle" }]), maxBatchSize: dice.pick([1, 2]) }
      : {};
  }

  #function(options: PlainOptions): FunctionSubject {
    const dice = this.#dice;
    const isNested = dice.chance(0.2);
    const functions = (["shapeOf", "contentKey"] as const).filter(() => !isNested && dice.chance(0.7));
    return {
      kind: "function",
      page: 0,
      options,
      ...(dice.chance(0.5) && { thrown: dice.pick([...THROWN, "surplus"]) }),
      ...(isNested && { isNested }),
      ...(dice.chance(0.3) && { isSerial: true }),
      ...(functions.length > 0 && { functions }),
    };
  }

  #batching(kind: Kind): PlainOptions {
    const dice = this.#dice;
    const mayShare = kind !== "handled";
    return {
      ...(dice.chance(0.6) && { batching: dice.pick([false, { release: "idle" }, { release: "window" }, {}]) }),
      ...(dice.chance(0.4) && { maxBatchSize: dice.pick([1, 2, 4, 8, 32]) }),
      ...(dice.chance(0.3) && { maxQueueDelayMs: dice.pick([1, 10, 40]) }),
      ...(dice.chance(0.2) && { maxQueueSize: dice.pick([2, 8]) }),
      ...(dice.chance(0.15) && { maxLatencyMs: dice.pick([20, 200, 1000, this.#onceMs * 1.03]) }),
      ...(mayShare && dice.chance(0.25) && { dedupe: true }),
      ...(mayShare && dice.chance(0.15) && { resultCacheSize: dice.pick([1, 4]) }),
    };
  }

  /** Some stages have little room, for which the parts of a stream wait. */
  #batchingOfStages(): () => PlainOptions {
    const dice = this.#dice;
    if (!dice.chance(0.25)) return () => this.#batching("pipeline");
    return () => ({ maxQueueSize: dice.pick([1, 2]), ...(dice.chance(0.5) && { maxBatchSize: dice.pick([1, 2]) }) });
  }

  #steps(subject: HostedSubject | FunctionSubject, index: number): Step[] {
    const dice = this.#dice;
    const startMs = dice.pick([0, 60, 150]);
    const spreadMs = dice.pick([1, 30, 100, 400]);
    const { kind } = subject;
    this.#drawn = [];
    if (kind === "function" && dice.chance("maxLatencyMs" in subject.options ? 0.6 : 0.1)) return this.#steady(index);
    const calls = dice.list(1, 10, () => this.#call(kind, index, startMs + Math.floor(dice.random() * spreadMs)));
    const late = dice.chance(0.3) ? dice.list(1, 3, () => this.#call(kind, index, 1500 + dice.below(100_000))) : [];
    // The search for an item that fails takes some runs, in which its caller may leave.
    const whenMs = [0, 0.5, 5, 20, 60, this.#onceMs * 1.5, this.#onceMs * 2.5];
    const aborts = [...calls, ...late]
      .filter(({ items }) => dice.chance(items.some(({ poison }) => poison !== undefined) ? 0.5 : 0.2))
      .map(({ atMs, call }): Step => ({ atMs: atMs + dice.pick(whenMs), do: "abort", call }));
    const others = dice.chance(kind === "hub" ? 0.8 : 0.4)
      ? dice.list(1, 3, () => this.#other(index, startMs, spreadMs))
      : [];
    return [...calls, ...late, ...aborts, ...others];
  }

  /** Calls at equal times, more or less as fast as they can be answered. */
  #steady(index: number): Step[] {
    const dice = this.#dice;
    const periodMs = this.#onceMs * dice.pick([0.2, 0.5, 0.8, 1.1, 1.6]);
    const urgentShare = dice.pick([1, 1, 0.15]);
    const calls = dice.list(6, 24, () => this.#call("hub", index, 20));
    return calls.map((call, at) => ({
      ...call,
      atMs: 20 + at * periodMs,
      items: call.items.map(({ id }) => ({ id })),
      options: dice.chance(urgentShare) ? {} : { priority: "background" },
    }));
  }

  #call(subject: Kind, index: number, atMs: number): CallStep {
    const dice = this.#dice;
    const kind =
      subject === "hub" ? "predict" : dice.pick(["predict", "predict", "predict", "many", "stream", "stream"]);
    const items = kind === "predict" ? [this.#item(subject)] : dice.list(1, 6, () => this.#item(subject));
    const source = kind === "predict" ? "list" : this.#source(subject, kind);
    return {
      atMs,
      do: kind,
      subject: index,
      call: (this.#calls += 1),
      items,
      options: this.#options(kind, subject),
      ...(source !== "list" && { source }),
      ...(kind === "stream" && dice.chance(0.2) && { take: dice.below(3) }),
    };
  }

  #source(subject: Kind, kind: "many" | "stream"): SourceKind {
    const dice = this.#dice;
    if (!dice.chance(0.4)) return "list";
    const isList = subject === "function" || (kind === "many" && subject !== "pipeline");
    return dice.pick(isList ? SOURCES_OF_LISTS : SOURCE_KINDS);
  }

  #options(kind: CallStep["do"], subject: Kind): CallOptions {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.25) && { priority: dice.pick(PRIORITIES) }),
      ...(dice.chance(0.1) && { timeoutMs: dice.pick(TIMEOUTS_MS) }),
      ...(kind === "predict" && dice.chance(subject === "pipeline" ? 0.25 : 0.1) && { key: dice.pick(["a", "b"]) }),
      ...(subject !== "pipeline" && dice.chance(0.2) && { transfer: true }),
      ...(this.#calls > 1 && dice.chance(0.1) && { signalOf: this.#calls - 1 }),
    };
  }

  #item(subject: Kind): ItemSpec {
    const dice = this.#dice;
    const again = subject === "pipeline" || !dice.chance(0.25) ? undefined : this.#drawn.at(-1 - dice.below(4));
    if (again !== undefined) return again;
    const id = (this.#items += 1);
    const item = { id, ...this.#trouble(subject) };
    this.#drawn.push(item);
    return item;
  }

  #trouble(subject: Kind): Omit<ItemSpec, "id"> {
    const dice = this.#dice;
    const acts = ACTS[subject];
    if (acts.length > 0 && dice.chance(0.15))
      return {
        act: { at: dice.below(subject === "pipeline" ? 4 : 2), does: dice.pick(acts), thrown: dice.pick(THROWN) },
        ...(subject === "handled" && this.#hasSlowHandlers && { slowMs: dice.pick([0, 2, 10]) }),
      };
    const poisons: readonly Poison[] =
      subject === "function" ? ["fail", "fail", "hang"] : ["fail", "fail", "trap", "hang"];
    if (subject === "handled" && this.#hasSlowHandlers)
      return dice.chance(0.5) ? { slowMs: dice.pick([0, 2, 10, 60]) } : this.#fatal(dice.chance(0.3));
    return subject !== "pipeline" && dice.chance(0.06) ? { poison: dice.pick(poisons) } : {};
  }

  #fatal(isFatal: boolean): Omit<ItemSpec, "id"> {
    return isFatal ? { poison: this.#dice.pick(["trap", "trap", "hang"]) } : {};
  }

  #other(subject: number, startMs: number, spreadMs: number): Step {
    const dice = this.#dice;
    const atMs = startMs + dice.below(spreadMs * 2);
    return { atMs, do: dice.pick(["dispose", "restart", "restart", "flush", "flush"]), subject };
  }

  #fault(): Fault {
    const dice = this.#dice;
    if (dice.chance(0.3)) return { on: "time", atMs: dice.below(200), does: "kill" };
    return { on: "run", nth: dice.below(8), does: dice.pick(["trap", "slow", "oom", "exit", "fail"]) };
  }
}

import type { Random } from "../../../batcher/model/random.js";
import type { ModelName } from "../runtime/models.js";
import { Dice } from "./dice.js";
import type { GroupModelSpec, SequenceSpec } from "../scenario/kinds.js";
import { partsOf } from "../scenario/parts.js";
import type {
  CallOptions,
  CallStep,
  Fault,
  ItemSpec,
  PlainOptions,
  Scenario,
  Step,
  Subject,
} from "../scenario/scenario.js";
import { PRIORITIES } from "../scenario/priority.js";

const RECURRENT = ["rnn", "rnn", "layers", "twin", "twin"] as const;
const GROUPED = ["affine", "affine", "fixed4", "rnn", "twin", "misread", "missing"] as const;
const SOURCES = ["list", "generator", "slow"] as const;

/** As many sequences show whether a worker keeps those that have ended. */
const MANY = [12, 16] as const;

/** Draws scenarios of streams with state, and of groups of models. */
export function drawSequences(seed: number, random: Random): Scenario {
  return new SequencesDraw(new Dice(random)).scenario(seed);
}

class SequencesDraw {
  readonly #dice: Dice;
  #calls = 0;
  #items = 0;
  readonly #isChurning: boolean;
  /** The first model of a group has handlers, which hang for one of its items. */
  #mayHang = false;
  /** Some items make a handler throw. */
  #mayThrow = false;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#isChurning = dice.chance(0.1);
  }

  scenario(seed: number): Scenario {
    const dice = this.#dice;
    const costs = { baseMs: dice.pick([0.2, 1, 8, 30]), rowMs: dice.pick([0.01, 0.5, 3]) };
    const subjects = this.#subjects();
    const opens = subjects.map((_, subject): Step => ({ atMs: 0, do: "open", subject }));
    const steps = subjects.flatMap((subject, index) => this.#steps(subject, index));
    const faults = !this.#isChurning && dice.chance(0.45) ? dice.list(1, 2, () => this.#fault()) : [];
    return { seed, ...costs, pages: 1, subjects, steps: [...opens, ...steps], faults };
  }

  #subjects(): Subject[] {
    const dice = this.#dice;
    if (!this.#isChurning && dice.chance(0.45)) return [this.#group()];
    return dice.list(1, dice.pick([1, 1, 2]), () => this.#model());
  }

  #model(): Subject {
    const dice = this.#dice;
    if (dice.chance(0.2)) return this.#remembered();
    const isChecked = dice.chance(0.3);
    const options = {
      ...this.#batching(),
      executionProviders: dice.pick([["wasm"], ["wasm"], ["webgpu", "wasm"]]),
      cache: dice.chance(0.1),
      warmup: dice.chance(0.1),
      ...(!isChecked && { verify: false }),
    };
    const model = isChecked ? dice.pick([...RECURRENT, "mixedrnn"]) : dice.pick(RECURRENT);
    const [least, most] = this.#isChurning ? MANY : [1, 6];
    return { kind: "sequences", page: 0, model, options, sequences: dice.list(least, most, () => this.#sequence()) };
  }

  #remembered(): Subject {
    const dice = this.#dice;
    const options = { ...this.#batching(), executionProviders: ["wasm"], cache: false, verify: false };
    this.#mayThrow = dice.chance(0.5);
    const [least, most] = this.#isChurning ? MANY : [1, 6];
    const sequences = dice.list(least, most, () => this.#sequenceFromNothing());
    return { kind: "sequences", page: 0, model: "rnn", isRemembered: true, options, sequences };
  }

  #group(): Subject {
    const dice = this.#dice;
    this.#mayHang = dice.chance(0.25);
    if (this.#mayHang) return this.#hangingGroup();
    this.#mayThrow = dice.chance(0.1);
    const options = { executionProviders: dice.pick([["wasm"], ["wasm"], ["webgpu", "wasm"]]) };
    return { kind: "group", page: 0, options, models: dice.list(1, 4, () => this.#groupModel()) };
  }

  /**
   * A model with handlers, which hang for one of its items, next to others. Runs are given little time, and loads take long: a
   * check on a GPU lets handlers in between.
   */
  #hangingGroup(): Subject {
    const dice = this.#dice;
    const model = (hasHandlers: boolean): GroupModelSpec => {
      const limits = { cache: false, runTimeoutMs: dice.pick([300, 1000]), warmup: dice.chance(0.4) };
      const options = { ...this.#batching(), ...limits, ...(dice.chance(0.5) && { verify: false }) };
      return { model: "affine", options, sequences: [], hasHandlers };
    };
    const executionProviders = dice.pick([["wasm"], ["webgpu", "wasm"], ["webgpu", "wasm"]]);
    const models = [model(true), ...dice.list(1, 2, () => model(false))];
    return { kind: "group", page: 0, options: { executionProviders }, models };
  }

  /** A model whose handlers remember. */
  #rememberingModel(): GroupModelSpec {
    const options = { ...this.#batching(), cache: false, ...(this.#dice.chance(0.8) && { verify: false }) };
    const sequences = this.#dice.list(1, 3, () => this.#sequenceFromNothing());
    return { model: "affine", options, sequences, hasHandlers: true, isRemembered: true };
  }

  #groupModel(): GroupModelSpec {
    const dice = this.#dice;
    if (this.#mayThrow || dice.chance(0.08)) return this.#rememberingModel();
    const model = dice.pick<ModelName | "missing">(GROUPED);
    const isRecurrent = model === "rnn" || model === "twin";
    // A model that is rewritten for nothing has two sessions for a while.
    const isChecked = model === "misread" || dice.chance(0.2);
    const options = {
      ...this.#batching(),
      cache: false,
      warmup: dice.chance(0.2),
      ...(!isChecked && { verify: false }),
    };
    const sequences = isRecurrent ? dice.list(1, 3, () => this.#sequence()) : [];
    const endsGroupAt = dice.pick(["download", "warmup", "ready", "ready"] as const);
    return { model, options, sequences, ...(dice.chance(0.04) && { endsGroupAt }) };
  }

  /** What handlers remember begins with nothing. */
  #sequenceFromNothing(): SequenceSpec {
    const { initial: _, ...spec } = this.#sequence();
    return spec;
  }

  #sequence(): SequenceSpec {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.5) && { snapshotEvery: dice.pick([1, 2, 3, 5]) }),
      ...(dice.chance(0.35) && this.#line()),
      ...(dice.chance(0.05) && { idleMs: dice.pick([5, 300]) }),
      ...(dice.chance(0.3) && { initial: 1 + dice.below(500) }),
    };
  }

  /** How many steps wait, and which one leaves if there are more. */
  #line(): PlainOptions {
    const dice = this.#dice;
    const overflow = dice.pick(["wait", "drop-oldest", "drop-oldest"]);
    return {
      overflow,
      ...(dice.chance(0.8) && { maxQueueSize: dice.pick([1, 2, 2, 4]) }),
      ...(overflow === "drop-oldest" && dice.chance(0.3) && { maxWaitMs: dice.pick([1, 20, 200]) }),
    };
  }

  #batching(): PlainOptions {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.6) && { batching: dice.pick([false, { release: "idle" }, { release: "window" }, {}]) }),
      ...(dice.chance(0.4) && { maxBatchSize: dice.pick([1, 2, 4, 8]) }),
      ...(dice.chance(0.3) && { maxQueueDelayMs: dice.pick([1, 10, 40]) }),
      ...(dice.chance(0.1) && { maxQueueSize: dice.pick([2, 8]) }),
      ...(dice.chance(0.05) && { maxLatencyMs: dice.pick([20, 200]) }),
    };
  }

  #steps(subject: Subject, index: number): Step[] {
    const dice = this.#dice;
    // A group can be asked, or disposed of, while its models open.
    const startMs = dice.pick(subject.kind === "group" ? [0, 30, 80, 120] : [60, 120]);
    const spreadMs = dice.pick([1, 30, 100, 400]);
    const when = () => startMs + Math.floor(dice.random() * spreadMs);
    const parts = partsOf(subject).map((_, part) => part);
    const ofParts = parts.flatMap((part) =>
      this.#stepsOf(index, part, when, partsOf(subject)[part]!.sequence !== null),
    );
    const plain = subject.kind === "group" ? [] : dice.list(0, 3, () => this.#call(index, undefined, when()));
    const late = dice.chance(0.3)
      ? dice.list(1, 4, () => this.#call(index, dice.pick(parts), 1500 + dice.below(90_000)))
      : [];
    const calls = [...ofParts, ...plain, ...late];
    const aborts = calls
      .filter((step): step is CallStep => "items" in step && !this.#isChurning && dice.chance(0.12))
      .map(({ atMs, call }): Step => ({ atMs: atMs + dice.pick([0, 0.5, 5, 20, 60]), do: "abort", call }));
    const others = dice.chance(0.4) ? dice.list(1, 2, () => this.#other(subject, index, when)) : [];
    return [...calls, ...aborts, ...others];
  }

  #stepsOf(subject: number, part: number, when: () => number, isSequence: boolean): Step[] {
    const dice = this.#dice;
    if (this.#isChurning) return this.#churn(subject, part, when());
    const hanging = this.#mayHang && part === 0 ? [this.#hanging(subject, when())] : [];
    const calls = dice.list(0, 8, () => this.#call(subject, part, when()));
    const turns = ["restart", "flush", "flush"] as const;
    const others = dice.chance(0.4)
      ? dice.list(1, 3, (): Step => ({ atMs: when(), do: dice.pick(turns), subject, part }))
      : [];
    const end: Step[] = dice.chance(isSequence ? 0.15 : 0.2)
      ? [{ atMs: when() + dice.below(60), do: "dispose", subject, part }]
      : [];
    return [...hanging, ...calls, ...others, ...end];
  }

  /** A call of the first model, for which one of its handlers hangs. */
  #hanging(subject: number, atMs: number): Step {
    const act = { at: this.#dice.below(2), does: "hang", thrown: "error" } as const;
    const item = {
      id: (this.#items += 1),
      act,
      ...(this.#dice.chance(0.5) && { slowMs: this.#dice.pick([1, 20, 100]) }),
    };
    return { atMs, do: "predict", subject, part: 0, call: (this.#calls += 1), items: [item], options: {} };
  }

  /** One step, and then the end of the sequence. */
  #churn(subject: number, part: number, atMs: number): Step[] {
    const call = { ...this.#call(subject, part, atMs), options: {} };
    return [call, { atMs: atMs + this.#dice.pick([0, 20, 4000]), do: "dispose", subject, part }];
  }

  #call(subject: number, part: number | undefined, atMs: number): CallStep {
    const dice = this.#dice;
    const kind = !this.#isChurning && dice.chance(0.15) ? "stream" : "predict";
    const source = kind === "predict" ? "list" : dice.pick(SOURCES);
    return {
      atMs,
      do: kind,
      subject,
      ...(part !== undefined && { part }),
      call: (this.#calls += 1),
      items: kind === "predict" ? [this.#item()] : dice.list(1, 6, () => this.#item()),
      options: this.#options(),
      ...(source !== "list" && { source }),
      ...(kind === "stream" && dice.chance(0.2) && { take: dice.below(4) }),
    };
  }

  #options(): CallOptions {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.2) && { priority: dice.pick(PRIORITIES) }),
      ...(dice.chance(0.1) && { timeoutMs: dice.pick([5, 50, 500]) }),
      ...(this.#calls > 1 && dice.chance(0.05) && { signalOf: this.#calls - 1 }),
    };
  }

  #item(): ItemSpec {
    const dice = this.#dice;
    const id = (this.#items += 1);
    if (this.#mayThrow && dice.chance(0.1)) return { id, act: { at: dice.below(2), does: "throw", thrown: "error" } };
    return !this.#isChurning && dice.chance(0.03)
      ? { id, poison: dice.pick(["fail", "fail", "trap", "hang"]) }
      : { id };
  }

  #other(subject: Subject, index: number, when: () => number): Step {
    const dice = this.#dice;
    const kind = dice.pick(["dispose", "restart", "restart", "hide", "show", "busy", "flush"] as const);
    const atMs = when();
    if (kind === "busy") return { atMs, do: kind, page: subject.page, ms: dice.pick([5, 60]) };
    if (kind === "hide" || kind === "show") return { atMs, do: kind, page: subject.page };
    return { atMs, do: kind, subject: index };
  }

  #fault(): Fault {
    const dice = this.#dice;
    if (dice.chance(0.5)) return { on: "time", atMs: dice.below(300), does: dice.pick(["kill", "kill", "lose GPU"]) };
    return { on: "run", nth: dice.below(12), does: dice.pick(["trap", "slow", "oom", "exit", "fail", "hang"]) };
  }
}

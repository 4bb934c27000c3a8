import { TEXTS_BELOW } from "../runtime/decoder.js";
import type { DecoderName } from "../runtime/decoder-models.js";
import { isDecoder } from "../runtime/models.js";
import type { Dice } from "./dice.js";
import type { GroupModelSpec } from "../scenario/kinds.js";
import { partsOf } from "../scenario/parts.js";
import { PRIORITIES } from "../scenario/priority.js";
import type {
  CallOptions,
  CallStep,
  Fault,
  ItemSpec,
  PlainOptions,
  Scenario,
  Step,
  Subject,
  TextSpec,
} from "../scenario/scenario.js";

const DECODERS: readonly DecoderName[] = [
  ...(["leftward", "leftward", "rightward", "rightward", "unpadded", "heedless"] as const),
  ...(["blended", "unpieced", "captioned", "captioned"] as const),
];
/** Models that share a worker with decoders. */
const BESIDE = ["affine", "leftward", "rightward"] as const;

/** Also when a second worker runs what hangs: a run has a minute. */
const WHILE_HANGING_MS = [20, 65_000, 90_000, 110_000] as const;

/** The runs of an opening, and how many tokens each has. */
const OPENING_RUNS = 8;
const OPENING_TOKENS = 8;

/** Draws scenarios of texts that share steps. */
export function drawTexts(dice: Dice): Omit<Scenario, "seed"> {
  return dice.chance(0.1) ? drawPressing(dice) : new TextsDraw(dice).scenario();
}

/** Long texts have all places when more urgent ones come. */
function drawPressing(dice: Dice): Omit<Scenario, "seed"> {
  const model = dice.pick(["leftward", "rightward", "unpieced"] as const);
  const maxBatchSize = dice.pick([1, 2]);
  const options = { maxBatchSize, executionProviders: ["wasm"], cache: false, verify: false };
  const baseMs = dice.pick([1, 8]);
  const startMs = 100 + OPENING_RUNS * baseMs;
  const text = (atMs: number, maxNewTokens: number, priority: NonNullable<CallOptions["priority"]>) => ({
    atMs,
    text: { length: 1 + dice.below(5), maxNewTokens },
    options: { priority },
  });
  const long = dice.list(2, 4, () => text(startMs + dice.below(10), dice.pick([40, 80]), "background"));
  const urgent = dice.list(1, 3, () =>
    text(startMs + 50 + dice.below(300), dice.pick([1, 5]), dice.pick(["user-blocking", "user-visible"])),
  );
  const calls = [...long, ...urgent].map(({ atMs, text: own, options: terms }, id): CallStep => {
    const items = [{ id, text: own }];
    return { atMs, do: dice.pick(["predict", "stream"]), subject: 0, call: id + 1, items, options: terms };
  });
  const subject: Subject = { kind: "texts", page: 0, model, options };
  const open: Step = { atMs: 0, do: "open", subject: 0 };
  return { baseMs, rowMs: 0.01, pages: 1, subjects: [subject], steps: [open, ...calls], faults: [] };
}

class TextsDraw {
  readonly #dice: Dice;
  #calls = 0;
  #items = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  scenario(): Omit<Scenario, "seed"> {
    const dice = this.#dice;
    const costs = { baseMs: dice.pick([0.2, 1, 8, 30]), rowMs: dice.pick([0.01, 0.1, 0.5]) };
    const subject = dice.chance(0.25) ? this.#group() : this.#model();
    const open: Step = { atMs: 0, do: "open", subject: 0 };
    // Calls before a model is open are not made; those of a group are, of the models that are open.
    const opensAtMs = 100 + OPENING_RUNS * (costs.baseMs + costs.rowMs * OPENING_TOKENS);
    const startMs = Math.floor(opensAtMs * dice.pick(subject.kind === "group" ? [0.5, 1, 1.5] : [1, 1.5]));
    const faults = dice.chance(0.35) ? dice.list(1, 3, () => this.#fault(startMs)) : [];
    return { ...costs, pages: 1, subjects: [subject], steps: [open, ...this.#steps(subject, startMs)], faults };
  }

  #model(): Subject {
    const dice = this.#dice;
    const options = {
      ...this.#batching(),
      executionProviders: dice.pick([["wasm"], ["wasm"], ["webgpu", "wasm"]]),
      cache: dice.chance(0.05),
      ...(dice.chance(0.1) && { warmup: true }),
      ...(dice.chance(0.8) && { verify: false }),
    };
    return { kind: "texts", page: 0, model: dice.pick(DECODERS), options };
  }

  #group(): Subject {
    const dice = this.#dice;
    const model = (name: GroupModelSpec["model"]): GroupModelSpec => {
      const options = { cache: false, ...(dice.chance(0.9) && { verify: false }) };
      return { model: name, options: { ...(isDecoder(name) && this.#batching()), ...options }, sequences: [] };
    };
    const options = { executionProviders: dice.pick([["wasm"], ["wasm"], ["webgpu", "wasm"]]) };
    const first = dice.pick([...DECODERS, "captioned", "captioned", "captioned"] as const);
    const others = dice.list(0, 2, () => model(dice.pick(BESIDE)));
    const encoders = first === "captioned" && dice.chance(0.8) ? [model("encoder")] : [];
    const models = [model(first), ...others, ...encoders];
    return { kind: "group", page: 0, options, models };
  }

  #batching(): PlainOptions {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.05) && { batching: false }),
      ...(dice.chance(0.45) && { maxBatchSize: dice.pick([1, 2, 2, 4, 8]) }),
      ...(dice.chance(0.1) && { maxQueueSize: dice.pick([1, 2, 8]) }),
      ...(dice.chance(0.25) && { maxCacheBytes: dice.pick([640, 1280, 2560]) }),
    };
  }

  #steps(subject: Subject, startMs: number): Step[] {
    const dice = this.#dice;
    const spreadMs = dice.pick([1, 30, 200, 1000]);
    const when = () => startMs + dice.below(spreadMs);
    const parts = partsOf(subject);
    const decoders = parts.flatMap(({ isDecoder: isOne }, part) => (isOne ? [part] : []));
    const models = subject.kind === "group" ? subject.models : [];
    const others = models.flatMap(({ model }, part) => (model === "affine" ? [part] : []));
    const most = dice.pick([3, 8, 8, 14]);
    const texts = dice.list(1, most, () =>
      this.#text(subject, parts.length > 0 ? dice.pick(decoders) : undefined, when()),
    );
    const items = others.length > 0 ? dice.list(0, 6, () => this.#item(dice.pick(others), when())) : [];
    const aborts = texts
      .filter(({ items: [item] }) => dice.chance(item?.poison === "hang" ? 0.6 : 0.15))
      .map(({ atMs, call, items: [item] }): Step => {
        const laterMs = dice.pick(item?.poison === "hang" ? WHILE_HANGING_MS : [0, 0.5, 5, 20, 60, 200]);
        return { atMs: atMs + laterMs, do: "abort", call };
      });
    const turns = dice.chance(0.3) ? dice.list(1, 2, () => this.#turn(when() + dice.pick([0, 20, 100]), decoders)) : [];
    return [...texts, ...items, ...aborts, ...turns];
  }

  #text(subject: Subject, part: number | undefined, atMs: number): CallStep {
    const dice = this.#dice;
    const isGiven = JSON.stringify(subject).includes('"captioned"') && (part ?? 0) === 0;
    const kind = dice.chance(0.5) ? "stream" : "predict";
    const id = this.#items % TEXTS_BELOW;
    this.#items += 1;
    const item: ItemSpec = {
      id,
      text: { ...this.#spec(), ...(isGiven && this.#given()) },
      ...(dice.chance(0.04) && { poison: dice.pick(["fail", "trap", "hang"] as const) }),
    };
    // The first token of a prompt says whose it is.
    const length = item.poison === undefined ? item.text!.length : Math.max(2, item.text!.length);
    // Longer than what may be unread.
    const slow = kind === "stream" && dice.chance(0.25) ? { maxNewTokens: 70, readMs: dice.pick([0, 5, 40]) } : {};
    const text = { ...item.text!, length, ...slow };
    return {
      atMs,
      do: kind,
      subject: 0,
      ...(part !== undefined && { part }),
      call: (this.#calls += 1),
      items: [{ ...item, text }],
      options: this.#options(),
      ...(kind === "stream" && dice.chance(0.25) && { take: 1 + dice.below(4) }),
    };
  }

  #spec(): TextSpec {
    const dice = this.#dice;
    const length = dice.chance(0.25) ? 33 + dice.below(120) : 1 + dice.below(dice.pick([3, 9]));
    const first = dice.below(8);
    return {
      length,
      maxNewTokens: dice.pick([1, 2, 5, 12, 30]),
      ...(dice.chance(0.35) && { stop: Array.from({ length: 12 }, (_, at) => first + at * 8) }),
      ...(dice.chance(0.35) && { sample: this.#sample() }),
      ...(dice.chance(0.15) && { repetitionPenalty: dice.pick([0.8, 1.3]) }),
    };
  }

  #given(): Pick<TextSpec, "given" | "isTold"> {
    const dice = this.#dice;
    return { given: dice.pick([1, 1, 2, 4]), ...(dice.chance(0.4) && { isTold: true }) };
  }

  #sample(): NonNullable<TextSpec["sample"]> {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.6) && { temperature: dice.pick([0.3, 2]) }),
      ...(dice.chance(0.3) && { topK: dice.pick([1, 5, 40]) }),
      ...(dice.chance(0.3) && { topP: dice.pick([0.3, 0.9]) }),
      seed: dice.below(1000),
    };
  }

  #options(): CallOptions {
    const dice = this.#dice;
    return {
      ...(dice.chance(0.3) && { priority: dice.pick(PRIORITIES) }),
      ...(dice.chance(0.1) && { timeoutMs: dice.pick([5, 50, 300]) }),
      ...(dice.chance(0.12) && { key: dice.pick(["a", "b"]) }),
      ...(this.#calls > 1 && dice.chance(0.05) && { signalOf: this.#calls - 1 }),
    };
  }

  /** A call of a model that shares the worker. */
  #item(part: number, atMs: number): CallStep {
    const item = { id: 100 + (this.#items += 1) };
    return { atMs, do: "predict", subject: 0, part, call: (this.#calls += 1), items: [item], options: {} };
  }

  #turn(atMs: number, decoders: readonly number[]): Step {
    const dice = this.#dice;
    const kind = dice.pick(["dispose", "dispose", "restart", "hide", "show", "busy", "flush"] as const);
    if (kind === "busy") return { atMs, do: kind, page: 0, ms: dice.pick([5, 60]) };
    if (kind === "hide" || kind === "show") return { atMs, do: kind, page: 0 };
    return {
      atMs,
      do: kind,
      subject: 0,
      ...(decoders.length > 0 && dice.chance(0.6) && { part: dice.pick(decoders) }),
    };
  }

  #fault(startMs: number): Fault {
    const dice = this.#dice;
    if (dice.chance(0.5))
      return { on: "time", atMs: startMs + dice.below(400), does: dice.pick(["kill", "kill", "lose GPU"]) };
    return { on: "run", nth: dice.below(60), does: dice.pick(["trap", "slow", "oom", "exit", "fail", "fail", "hang"]) };
  }
}

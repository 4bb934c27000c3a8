import { createRandom, type Random } from "../../../batcher/model/random.js";
import type { ModelName, Poison } from "../runtime/models.js";
import { PADDINGS, TIMEOUTS_MS, withSizedItems } from "./draw-parts.js";
import { Dice } from "./dice.js";
import { drawFallback } from "./draw-fallback.js";
import { drawLinks } from "./draw-links.js";
import { drawLeaving } from "./draw-leaving.js";
import { drawLoading } from "./draw-loading.js";
import { drawMoves } from "./draw-moves.js";
import { drawOthers } from "./draw-others.js";
import { drawOutage } from "./draw-outage.js";
import { drawPipelines } from "./draw-pipelines.js";
import { drawRecovery } from "./draw-recovery.js";
import { drawRenewal } from "./draw-renewal.js";
import { drawRoom } from "./draw-room.js";
import { drawRush } from "./draw-rush.js";
import { drawSearch } from "./draw-search.js";
import { drawSequences } from "./draw-sequences.js";
import { drawTabs } from "./draw-tabs.js";
import { drawTexts } from "./draw-texts.js";
import { drawWays } from "./draw-ways.js";
import { drawWidgets } from "./draw-widgets.js";
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

/** The share of scenarios whose pages are cross-origin isolated. */
const ISOLATED = 0.12;

/**
 * Draws scenarios. The same seed gives the same one.
 * @param about what it is about, one of `SUBJECTS`; any if it is left out
 */
export function drawScenario(seed: number, about?: string): Scenario {
  const random = createRandom(seed);
  const isIsolated = random() < ISOLATED;
  return { ...drawProgram(seed, random, about), ...(isIsolated && { isIsolated }) };
}

function drawProgram(seed: number, random: Random, about: string | undefined): Scenario {
  const kind = random();
  let until = 0;
  for (const [name, share, draw] of RARE) {
    until += share;
    if (about === undefined ? kind < until : name === about) return { seed, ...draw(new Dice(random)) };
  }
  if (kind < 0.42) return drawOthers(seed, random);
  return kind < 0.67 ? drawSequences(seed, random) : new Draw(random).scenario(seed);
}

/** Programs that are about one thing, which others seldom meet, with its name and the share of each. */
const RARE: readonly (readonly [about: string, share: number, draw: (dice: Dice) => Omit<Scenario, "seed">])[] = [
  ["search", 0.02, drawSearch],
  ["rush", 0.015, drawRush],
  ["widgets", 0.01, drawWidgets],
  ["leaving", 0.005, drawLeaving],
  ["links", 0.02, drawLinks],
  ["loading", 0.0075, drawLoading],
  ["renewal", 0.005, drawRenewal],
  ["outage", 0.005, drawOutage],
  ["tabs", 0.01, drawTabs],
  ["moves", 0.01, drawMoves],
  ["fallback", 0.005, drawFallback],
  ["room", 0.015, drawRoom],
  ["recovery", 0.0075, drawRecovery],
  ["ways", 0.001, drawWays],
  ["texts", 0.02, drawTexts],
  ["pipelines", 0.01, drawPipelines],
];

/** What a scenario may be about. */
export const SUBJECTS: readonly string[] = RARE.map(([about]) => about);

const MODEL_NAMES: readonly ModelName[] = [
  "affine",
  "affine",
  "odd",
  "fixed4",
  "mixing4",
  "counting",
  "single",
  "misread",
  "ragged",
  "brittle",
];
const UNCHECKED_NAMES: readonly ModelName[] = [...Array<ModelName>(17).fill("affine"), "ragged", "ragged", "tight"];
const STRIKES = [
  ...(["kill", "kill", "lose GPU", "deploy", "mute shared"] as const),
  ...(["fill store", "block store", "abort store", "evict", "close store"] as const),
] as const;
const REQUEST_FAULTS = ["slow", "late", "cut", "stall", "trickle", "429", "503", "page", "offline"] as const;

function thawOf({ atMs, page }: { readonly atMs: number; readonly page: number }, ms: number): Step {
  return { atMs: atMs + ms, do: "thaw", page };
}

class Draw {
  readonly #random: Random;
  #pages = 1;
  /** Most programs are small: more of them run in the same time, and few defects need many calls. */
  #maxCalls = 10;
  #calls = 0;
  #items = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  scenario(seed: number): Scenario {
    this.#pages = this.#pick([1, 1, 1, 2, 3]);
    this.#maxCalls = this.#pick([3, 3, 10]);
    const subjects = this.#alike(this.#list(1, this.#pages + 1, () => this.#subject()));
    const costs = { baseMs: this.#pick([0.2, 1, 8, 30]), rowMs: this.#pick([0.01, 0.5, 3]) };
    const openings = subjects.map((_, at) => (at === 0 ? 0 : this.#pick(this.#pages === 1 ? [0] : [0, 0, 30, 200])));
    const opens = openings.map((atMs, subject): Step => ({ atMs, do: "open", subject }));
    const steps = openings.flatMap((atMs, subject) => this.#steps(subject, atMs));
    if (this.#pages > 1 && this.#chance(0.06)) return { seed, pages: this.#pages, ...this.#waiting() };
    const isShared = subjects.length > 1 && subjects.every(({ options }) => options["shared"] === true);
    const isPicked = subjects.some(({ options }) => options["picked"] === true);
    const faults = (isShared || isPicked) && this.#chance(0.5) ? this.#newFile(isPicked) : this.#faults();
    const asked = withSizedItems(subjects, steps);
    return { seed, ...costs, pages: this.#pages, subjects, steps: [...opens, ...asked], faults };
  }

  /** Tabs that share a session wait for what another one does: a long download, or a run with many rows. */
  #waiting(): Pick<Scenario, "baseMs" | "rowMs" | "subjects" | "steps" | "faults"> {
    const batching = this.#pick([{}, { batching: { release: "window" } }]);
    const options = { executionProviders: ["wasm"], cache: false, verify: false, shared: true, ...batching };
    const subjects = [0, 1].map((page): Subject => ({ kind: "model", page, model: "affine", options }));
    const opens = [0, this.#pick([0, 50, 30_000, 50_000])].map((atMs, subject): Step => ({
      atMs,
      do: "open",
      subject,
    }));
    const trickle = [0, 1, 2].map((nth): Fault => ({ on: "request", nth, does: "trickle" }));
    const faults = this.#chance(0.5) ? trickle : [];
    const call = (subject: number, count: number, atMs: number): CallStep => {
      const items = Array.from({ length: count }, () => ({ id: (this.#items += 1) }));
      return { atMs, do: "many", subject, call: (this.#calls += 1), items, options: {} };
    };
    // The first tab knows how long its own runs take when it waits for the long one.
    const usual = [0, 1, 2, 3].map((at) => call(0, 1, 200_000 + at * 2000));
    const long = call(1, this.#pick([1, 32]), 220_000);
    const calls = [...usual, long, call(0, 1, 220_100 + this.#random() * 1000)];
    return { baseMs: 1, rowMs: this.#pick([1, 500]), subjects, steps: [...opens, ...calls], faults };
  }

  /** Tabs share a session only if their models and options are the same. */
  #alike(subjects: readonly Subject[]): readonly Subject[] {
    const [first] = subjects;
    if (first?.kind !== "model" || first.options["shared"] !== true || !this.#chance(0.6)) return subjects;
    return subjects.map(({ page }) => ({ ...first, page, options: { ...first.options, ...this.#own() } }));
  }

  /** What tabs that are alike otherwise may differ in: the version that they want, and the address of the script. */
  #own(): PlainOptions {
    return {
      ...(this.#chance(0.15) && { pin: 1 }),
      ...(this.#chance(0.08) && { workerUrl: `https://app.example/framebatch.worker.js?v=${this.#pick([1, 2])}` }),
      ...(this.#chance(0.1) && { runTimeoutMs: 60_000 }),
    };
  }

  #subject(): Subject {
    const options = this.#batcherOptions();
    const page = this.#page();
    if (this.#pages === 1 && this.#chance(0.5)) return { kind: "function", page, options };
    const own: PlainOptions = {
      executionProviders: this.#pick([["wasm"], ["webgpu", "wasm"]]),
      cache: this.#chance(0.35),
      warmup: this.#chance(0.2),
      ...(this.#chance(0.7) && { verify: false }),
      ...(this.#pages > 1 && this.#chance(0.7) ? { shared: true } : this.#chance(0.1) && { instances: 2 }),
      ...(this.#chance(0.08) && { picked: true }),
    };
    const model = own["verify"] === false ? this.#pick(UNCHECKED_NAMES) : this.#pick(MODEL_NAMES);
    const sizes = this.#sizes(model);
    const isThirds = JSON.stringify(sizes).includes("multipleOf");
    return { kind: "model", page, model: isThirds ? "thirds" : model, options: { ...options, ...own, ...sizes } };
  }

  /** Items of different lengths are padded, and so are the numbers of rows. */
  #sizes(model: ModelName): PlainOptions {
    if (model === "ragged" && this.#chance(0.7)) return { padding: { x: this.#pick(PADDINGS) } };
    return model === "affine" && this.#chance(0.1) ? { allowedBatchSizes: [2, 4, 8], maxBatchSize: 8 } : {};
  }

  #batcherOptions(): PlainOptions {
    return {
      ...(this.#chance(0.6) && { batching: this.#pick([false, { release: "idle" }, { release: "window" }, {}]) }),
      ...(this.#chance(0.4) && { maxBatchSize: this.#pick([1, 2, 4, 8]) }),
      ...(this.#chance(0.3) && { maxQueueDelayMs: this.#pick([1, 10, 40]) }),
      ...(this.#chance(0.15) && { maxQueueSize: this.#pick([2, 8]) }),
      ...(this.#chance(0.1) && { maxLatencyMs: this.#pick([20, 200]) }),
    };
  }

  #steps(subject: number, openedAtMs: number): Step[] {
    const startMs = openedAtMs + this.#pick([20, 100]);
    const calls = this.#list(1, this.#maxCalls, () => this.#call(subject, startMs));
    const aborts = calls
      .filter(() => this.#chance(0.15))
      .map((call): Step => ({
        atMs: call.atMs + this.#pick([0, 0.5, 5, 20]),
        do: "abort",
        call: call.call,
      }));
    const others = this.#chance(0.3) ? this.#list(1, 2, () => this.#other(subject, startMs)) : [];
    const thaws = others.flatMap((step) => (step.do === "freeze" ? [thawOf(step, this.#pick([5, 500, 70_000]))] : []));
    return [...calls, ...aborts, ...others, ...thaws];
  }

  #call(subject: number, startMs: number): CallStep {
    const kind = this.#pick(["predict", "predict", "predict", "predict", "many", "stream"] as const);
    const items = kind === "predict" ? [this.#item()] : this.#list(0, 5, () => this.#item());
    const atMs = startMs + Math.floor(this.#random() * this.#pick([2, 30, 100]));
    return { atMs, do: kind, subject, call: (this.#calls += 1), items, options: this.#options(kind) };
  }

  #options(kind: CallStep["do"]): CallOptions {
    return {
      ...(this.#chance(0.2) && { priority: this.#pick(PRIORITIES) }),
      ...(this.#chance(0.1) && { timeoutMs: this.#pick(TIMEOUTS_MS) }),
      ...(kind === "predict" && this.#chance(0.2) && { key: this.#pick(["a", "b"]) }),
      ...(this.#chance(0.1) && { transfer: true }),
    };
  }

  #item(): ItemSpec {
    const id = (this.#items += 1);
    if (!this.#chance(0.07)) return { id };
    return { id, poison: this.#pick<Poison>(["fail", "trap", "hang"]) };
  }

  #other(subject: number, startMs: number): Step {
    const atMs = startMs + Math.floor(this.#random() * 60);
    const kind = this.#pick(["dispose", "restart", "flush", "hide", "show", "busy", "crash", "freeze"] as const);
    if (kind === "dispose" || kind === "restart" || kind === "flush") return { atMs, do: kind, subject };
    if (kind === "busy") return { atMs, do: kind, page: this.#page(), ms: this.#pick([5, 60]) };
    return { atMs, do: kind, page: this.#page() };
  }

  #faults(): Fault[] {
    return this.#chance(0.4) ? this.#list(1, 3, () => this.#fault()) : [];
  }

  /** Workers are lost, and the file is another one then. So tabs that have loaded different versions meet in a worker. */
  #newFile(isPicked: boolean): Fault[] {
    const does = isPicked ? "change files" : "deploy";
    const change: Fault = { on: "time", atMs: Math.floor(this.#random() * 200), does };
    const kill = (): Fault => ({ on: "time", atMs: 50 + Math.floor(this.#random() * 300), does: "kill" });
    const slow: Fault = { on: "request", nth: Math.floor(this.#random() * 3), does: this.#pick(["slow", "late"]) };
    return [change, ...this.#list(1, 2, kill), ...(this.#chance(0.3) ? [slow] : [])];
  }

  #page(): number {
    return Math.floor(this.#random() * this.#pages);
  }

  #fault(): Fault {
    const on = this.#pick(["run", "run", "run", "time", "time", "request"] as const);
    if (on === "time") return { on, atMs: Math.floor(this.#random() * 150), does: this.#pick(STRIKES) };
    const nth = Math.floor(this.#random() * this.#pick([4, 12]));
    if (on === "request") return { on, nth: nth % 4, does: this.#pick(REQUEST_FAULTS) };
    return { on, nth, does: this.#pick(["trap", "hang", "slow", "oom", "exit", "fail"]) };
  }

  #list<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: min + Math.floor(this.#random() * (max - min + 1)) }, make);
  }

  #pick<const T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)]!;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}

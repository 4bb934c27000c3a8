import type { Page } from "../browser/page.js";
import { FunctionRuns } from "../actors/function-runs.js";
import { type Entry, Ledger, type Met, type Outcome } from "../logs/ledger.js";
import { rankOf } from "../scenario/priority.js";
import { codeOf } from "../logs/error-code.js";
import { ownAnswer } from "../logs/answers.js";
import { sourceOf } from "../actors/hostile-sources.js";
import type { CallOptions, CallStep, PageStep, PlainOptions, Scenario, Step, Subject } from "../scenario/scenario.js";
import { MODELS } from "../runtime/models.js";
import type { Scene } from "./stagehand.js";
import { type Callable, type Terms } from "../actors/callable.js";
import { strike } from "./strike.js";
import { openSubject } from "../actors/subjects.js";
import { spreadOf } from "../actors/item-functions.js";
import { type Part, partsOf } from "../scenario/parts.js";

/** A subject of the scenario as it goes. */
export interface Life {
  readonly index: number;
  readonly page: Page;
  readonly runs: FunctionRuns;
  opening: "not yet" | "pending" | "open" | "failed";
  /** When it was asked to open, and when that had ended. */
  readonly opened: { fromMs: number; untilMs: number };
  callable: Callable | null;
  /** The error of a failed opening. */
  error: unknown;
  disposedAtMs: number | null;
  readonly parts: readonly Part[];
  /** When parts of it were disposed of. */
  readonly endedParts: Map<number, number>;
  readonly options: PlainOptions;
  readonly isFunction: boolean;
  /** How many times as large its largest items say they are as its smallest. */
  readonly spread: number;
  readonly kind: Subject["kind"];
  /** The versions that are deployed in the scenario. */
  readonly versions: readonly number[];
  /** The version of its model; `null` until an answer has shown which one it is. */
  version: number | null;
  /** What its answers are multiplied with on the GPU. */
  readonly gpuFactor: number;
  /** It was opened on a page that has ended. */
  wasLost: boolean;
  /** Every state that the model had, in order. */
  readonly states: string[];
}

/** Carries out the steps of a scenario, and writes the ledger. */
export class Play {
  readonly ledger = new Ledger();
  readonly lives: readonly Life[];
  readonly #scene: Scene;
  readonly #scenario: Scenario;
  readonly #controllers = new Map<number, AbortController>();

  constructor(scenario: Scenario, scene: Scene) {
    this.#scenario = scenario;
    this.#scene = scene;
    this.lives = scenario.subjects.map((subject, index) => {
      const page = scene.pages[subject.page]!;
      const runs = new FunctionRuns(page, scene.origin.fates, "isSerial" in subject);
      const facts = {
        index,
        page,
        runs,
        options: subject.options,
        isFunction: subject.kind === "function",
        spread: spreadOf(subject),
        kind: subject.kind,
        parts: partsOf(subject),
        gpuFactor: subject.kind === "model" ? (MODELS[subject.model].onGpu?.factor ?? 1) : 1,
        versions: versionsOf(scenario),
        version: null,
      };
      const now = { opening: "not yet", callable: null, error: null, disposedAtMs: null, wasLost: false } as const;
      return { ...facts, ...now, opened: { fromMs: 0, untilMs: Infinity }, states: [], endedParts: new Map() };
    });
  }

  /** Plans all steps and faults. */
  plan(): void {
    const { world } = this.#scene;
    for (const step of this.#scenario.steps) {
      const page = this.#pageOf(step);
      const outside = ["hide", "show", "freeze", "thaw", "crash"].includes(step.do);
      world.post(outside ? null : page, step.atMs, `step ${step.do}`, () => this.#do(step, page));
    }
    for (const fault of this.#scenario.faults) {
      if (fault.on === "time") world.post(null, fault.atMs, fault.does, () => strike(this.#scene, fault.does));
    }
  }

  /** Disposes of everything that is open. */
  disposeAll(): void {
    const { world } = this.#scene;
    for (const life of this.lives) {
      if (life.opening === "open") world.post(life.page, 0, "dispose", () => this.#dispose(life));
    }
  }

  #pageOf(step: Step): Page {
    if ("page" in step) return this.#scene.pages[step.page]!;
    const subject = "subject" in step ? step.subject : this.#subjectOfCall("call" in step ? step.call : 0);
    return this.lives[subject]?.page ?? this.#scene.pages[0]!;
  }

  #subjectOfCall(call: number): number {
    const asked = this.#scenario.steps.find((step): step is CallStep => "items" in step && step.call === call);
    return asked?.subject ?? 0;
  }

  #do(step: Step, page: Page): void {
    if (step.do === "abort") return this.#abort(step.call);
    if ("page" in step) return this.#turn(step, page);
    const life = this.lives[step.subject]!;
    if (step.do === "open") return this.#open(life);
    const { part } = step;
    const callable = part === undefined ? life.callable : (life.callable?.parts?.[part] ?? null);
    if (callable === null) return;
    if ("items" in step) return this.#call(step, callable);
    if (step.do === "dispose")
      return part === undefined ? this.#dispose(life) : this.#disposePart(life, part, callable);
    if (step.do === "flush") return callable.flush();
    callable.restart().catch(() => undefined);
  }

  /** What happens to a page. */
  #turn(step: PageStep, page: Page): void {
    if (page.isEnded) return;
    if (step.do === "freeze") return page.freeze();
    if (step.do === "thaw") return page.thaw();
    if (step.do === "crash") return page.end();
    if (step.do === "busy") return page.occupy(this.#scene.world.nowMs + step.ms);
    this.#scene.world.current = page;
    page.setHidden(step.do === "hide");
  }

  #open(life: Life): void {
    if (life.opening !== "not yet") return;
    life.opening = "pending";
    const { world } = this.#scene;
    life.opened.fromMs = world.nowMs;
    const subject = this.#scenario.subjects[life.index]!;
    void openSubject(subject, life.index, life.page, life.runs, (state) => life.states.push(state))
      .then((callable) => Object.assign(life, { callable, opening: "open" }))
      .catch((error: unknown) => Object.assign(life, { error, opening: "failed" }))
      .finally(() => (life.opened.untilMs = world.nowMs));
  }

  #dispose(life: Life): void {
    life.disposedAtMs ??= this.#scene.world.nowMs;
    void life.callable?.dispose();
  }

  #disposePart({ endedParts }: Life, part: number, callable: Callable): void {
    if (!endedParts.has(part)) endedParts.set(part, this.#scene.world.nowMs);
    void callable.dispose();
  }

  #abort(call: number): void {
    const entry = this.ledger.entries.get(call);
    if (entry === undefined || entry.abortedAtMs !== null) return;
    for (const other of this.ledger.entries.values())
      if (other.reason === entry.reason) other.abortedAtMs = this.#scene.world.nowMs;
    this.#controllers.get(call)?.abort(entry.reason);
  }

  #call({ call, do: kind, subject, items, options, ...how }: CallStep, callable: Callable): void {
    const { world } = this.#scene;
    const first = this.ledger.entries.get(options.signalOf ?? call);
    const entry: Entry = {
      call,
      kind,
      subject,
      part: how.part ?? null,
      items,
      options,
      source: how.source ?? "list",
      take: how.take ?? Infinity,
      askedAtMs: world.nowMs,
      askedInTask: world.tasks,
      met: this.#met(subject, options),
      providers: [callable.provider],
      reason: first?.reason ?? new Error(`abort of call ${call}`),
      abortedAtMs: first?.abortedAtMs ?? null,
      settledAtMs: null,
      freeSinceMs: Infinity,
      settlements: 0,
      outcome: null,
      received: [],
    };
    this.ledger.begin(entry);
    const controller = this.#controllers.get(options.signalOf ?? call) ?? new AbortController();
    this.#controllers.set(call, controller);
    const life = this.lives[subject]!;
    const asker = {
      kind,
      isOver: () => entry.settlements > 0 || entry.abortedAtMs !== null,
      overAtMs: () => Math.min(entry.settledAtMs ?? Infinity, entry.abortedAtMs ?? Infinity),
      hasLeft: () => entry.abortedAtMs !== null || (entry.outcome !== null && "error" in entry.outcome),
      priority: options.priority,
      dueMs: kind === "predict" ? world.nowMs + (options.timeoutMs ?? Infinity) : Infinity,
      abort: () => this.#abort(call),
      dispose: () => this.#dispose(life),
    };
    this.#scene.origin.witness.asks(items, asker);
    const { signalOf: _, ...given } = options;
    const terms = { ...given, signal: controller.signal };
    const settle = (outcome: Outcome) => {
      entry.freeSinceMs = life.runs.freeSinceMs;
      entry.providers.push(callable.provider);
      this.ledger.settle(entry, outcome, world.nowMs);
    };
    this.#ask(entry, callable, terms).then(
      (value) => settle({ value: ownAnswer(value) }),
      (error: unknown) => settle({ error }),
    );
    if (how.leaves === true) this.#abort(call);
  }

  #met(subject: number, asked: CallOptions): Met {
    const { running, longestMs } = this.lives[subject]!.runs;
    const open = [...(this.ledger.open.get(subject) ?? [])];
    const before = open.filter(({ options }) => rankOf(options) <= rankOf(asked));
    return { ahead: before.reduce((sum, { items }) => sum + items.length, 0), running, longestMs };
  }

  #ask(entry: Entry, callable: Callable, terms: Terms): Promise<unknown> {
    const { kind, items, source, call, subject, take } = entry;
    const given = items.map((item) => callable.give(item));
    if (kind === "predict") {
      const answer = spoiled(callable.predict(given[0], terms), callable, given, terms);
      if (terms.transfer)
        answer.then(
          () => this.#checkMoved(entry, given[0]),
          (error: unknown) => this.#checkKept(entry, given[0], error),
        );
      return answer;
    }
    const reader = {
      leave: () => this.#abort(call),
      isOver: () => entry.settlements > 0 || entry.abortedAtMs !== null,
    };
    const where = { realm: this.lives[subject]!.page, witness: this.#scene.origin.witness };
    const from = sourceOf(source, given, `of call ${call}`, { ...where, ...reader });
    if (kind === "many") return spoiled(callable.many(from, terms), callable, given, terms);
    return readAll(callable.stream(from, terms), entry.received, take);
  }

  /** A call that is answered has taken the item that its caller has given away. */
  #checkMoved({ call, subject }: Entry, given: unknown): void {
    const x: unknown = Reflect.get(Object(given), "x");
    if (this.lives[subject]!.kind !== "model" || !(x instanceof Float32Array) || x.length === 0) return;
    this.#scene.origin.witness.broken("taken", `call ${call} was answered, and its item has not moved`);
  }

  /** A call that is refused has not taken its item. Tasks that a frozen page has put off run at the same time. */
  #checkKept({ call, askedInTask, subject }: Entry, given: unknown, error: unknown): void {
    const { origin, world } = this.#scene;
    const isRefused = codeOf(error) === "OVERLOADED" && world.tasks === askedInTask;
    const x: unknown = Reflect.get(Object(given), "x");
    if (!isRefused || this.lives[subject]!.kind === "hybrid" || !(x instanceof Float32Array) || x.length > 0) return;
    origin.witness.broken("taken", `call ${call} was refused, and its item has moved`);
  }
}

function versionsOf({ faults }: Scenario): number[] {
  return [1, ...faults.filter(({ does }) => does === "deploy").map((_, index) => index + 2)];
}

/** An item was copied when the call returned, so the caller may change it. */
function spoiled<T>(answer: Promise<T>, callable: Callable, given: readonly unknown[], terms: Terms): Promise<T> {
  if (!terms.transfer) for (const item of given) callable.spoil?.(item);
  return answer;
}

/** Returns when what a call has asked was disposed of, alone or with what it belongs to; `null` if it was not. */
export function endedAtMs({ part }: Pick<Entry, "part">, { disposedAtMs, endedParts, parts }: Life): number | null {
  const own = part === null ? [] : [part, parts[part]?.model ?? part].flatMap((one) => endedParts.get(one) ?? []);
  const all = disposedAtMs === null ? own : [...own, disposedAtMs];
  return all.length === 0 ? null : Math.min(...all);
}

async function readAll(results: AsyncIterable<unknown>, received: unknown[], take: number): Promise<void> {
  if (take === 0) return;
  for await (const result of results) if (received.push(ownAnswer(result)) >= take) return;
}

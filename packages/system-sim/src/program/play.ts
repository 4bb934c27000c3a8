import type { Page } from "../browser/page.js";
import { FunctionRuns } from "./function-runs.js";
import { type Entry, Ledger } from "./ledger.js";
import type { CallStep, PageStep, PlainOptions, Scenario, Step } from "./scenario.js";
import type { Scene } from "./stagehand.js";
import { type Callable, openSubject, type Terms } from "./subjects.js";

/** A subject of the scenario as it goes. */
export interface Life {
  readonly index: number;
  readonly page: Page;
  readonly runs: FunctionRuns;
  opening: "not yet" | "pending" | "open" | "failed";
  callable: Callable | null;
  /** The error of a failed opening. */
  error: unknown;
  disposedAtMs: number | null;
  readonly options: PlainOptions;
  readonly isFunction: boolean;
  /** The version of its model. */
  readonly version: number;
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
      const runs = new FunctionRuns(page, scene.origin.fates);
      const facts = {
        index,
        page,
        runs,
        options: subject.options,
        isFunction: subject.kind === "function",
        version: 1,
      };
      const now = { opening: "not yet", callable: null, error: null, disposedAtMs: null, wasLost: false } as const;
      return { ...facts, ...now, states: [] };
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
      if (fault.on === "time") world.post(null, fault.atMs, "kill", () => this.#killOne());
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
    const { callable } = life;
    if (callable === null) return;
    if ("items" in step) return this.#call(step, callable);
    if (step.do === "dispose") return this.#dispose(life);
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
    const subject = this.#scenario.subjects[life.index]!;
    void openSubject(subject, life.page, life.runs, (state) => life.states.push(state))
      .then((callable) => Object.assign(life, { callable, opening: "open" }))
      .catch((error: unknown) => Object.assign(life, { error, opening: "failed" }));
  }

  #dispose(life: Life): void {
    life.disposedAtMs ??= this.#scene.world.nowMs;
    void life.callable?.dispose();
  }

  #abort(call: number): void {
    const entry = this.ledger.entries.get(call);
    if (entry === undefined || entry.abortedAtMs !== null) return;
    entry.abortedAtMs = this.#scene.world.nowMs;
    this.#controllers.get(call)?.abort(entry.reason);
  }

  #call({ call, do: kind, subject, items, options }: CallStep, callable: Callable): void {
    const { world } = this.#scene;
    const entry: Entry = {
      call,
      kind,
      subject,
      items,
      options,
      askedAtMs: world.nowMs,
      reason: new Error(`abort of call ${call}`),
      abortedAtMs: null,
      settledAtMs: null,
      settlements: 0,
      outcome: null,
      received: [],
    };
    this.ledger.begin(entry);
    const controller = new AbortController();
    this.#controllers.set(call, controller);
    const terms = { ...options, signal: controller.signal };
    this.#ask(entry, callable, terms).then(
      (value) => this.ledger.settle(entry, { value }, world.nowMs),
      (error: unknown) => this.ledger.settle(entry, { error }, world.nowMs),
    );
  }

  #ask(entry: Entry, callable: Callable, terms: Terms): Promise<unknown> {
    const { kind, items } = entry;
    if (kind === "predict") return callable.predict(items[0]!, terms);
    if (kind === "many") return callable.many(items, terms);
    return readAll(callable.stream(items, terms), entry.received);
  }

  /** Ends a worker, as the browser does that needs its memory. */
  #killOne(): void {
    const { world, origin } = this.#scene;
    const workers = origin.threads.runningWorkers;
    origin.fates.fatal += 1;
    workers[world.below(workers.length)]?.end();
  }
}

async function readAll(results: AsyncIterable<unknown>, received: unknown[]): Promise<void> {
  for await (const result of results) received.push(result);
}

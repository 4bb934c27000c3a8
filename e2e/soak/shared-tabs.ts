import { setTimeout as sleep } from "node:timers/promises";
import type { ModelOptions } from "framebatch";
import type { Browser, Tab } from "../engines/browser.js";
import type { Tally } from "../fixtures/load.js";
import { Random } from "./kit/random.js";

const TABS = 4;
const CALLERS = 16;
const POLL_MS = 200;
/** The longest time without an answer to any tab. */
const STALL_MS = 60_000;

const MODEL: ModelOptions = {
  executionProviders: ["wasm"],
  shared: true,
  maxBatchSize: 8,
  // Longer than the soak: tabs must notice the end of the worker without the timeout.
  runTimeoutMs: 3_600_000,
};

/** The beginning of the worker script of the pages. Ends the worker as a crash does: without a word to its pages. */
export const WORKER_PREFIX = `new BroadcastChannel("end").onmessage = () => self.close();\n`;
const END_WORKER = `(new BroadcastChannel("end").postMessage(""), "")`;

/** Resolves with the Web Locks of shared workers and of their pages, as JSON. */
const LOCKS = `navigator.locks.query().then(({ held }) =>
  JSON.stringify(held.map(({ name }) => name).filter((name) => /^framebatch .* (alive|page )/.test(name))))`;

type Fate = "close" | "crash" | "reload" | "worker";

export interface SharedTabsSoak {
  readonly browser: Browser;
  /** The address of the test pages, without a trailing slash. Their worker script begins with `WORKER_PREFIX`. */
  readonly site: string;
  /** The number of answers in all tabs together. */
  readonly requests: number;
  readonly faults: number;
  readonly seed: number;
}

export interface SharedTabsReport {
  readonly answered: number;
  readonly seconds: number;
  /** How often each fate befell a tab or the worker. */
  readonly fates: Readonly<Partial<Record<Fate, number>>>;
}

/**
 * Keeps four tabs that share a worker under load, while tabs close, crash and reload, and the worker ends. A fate that
 * the driver of the browser cannot cause does not happen.
 *
 * @throws Error when a tab that lives loses a request or gets a wrong answer, or when something is left at the end
 */
export async function soakSharedTabs(soak: SharedTabsSoak): Promise<SharedTabsReport> {
  const startedAtMs = performance.now();
  const tabs = new LoadedTabs(soak);
  await tabs.open();
  const fates: Partial<Record<Fate, number>> = {};
  for (const [index, fate] of tabs.dealFates().entries()) {
    await tabs.untilAnswered((soak.requests * (index + 1)) / (soak.faults + 1));
    await tabs.strike(fate);
    fates[fate] = (fates[fate] ?? 0) + 1;
  }
  const answered = await tabs.untilAnswered(soak.requests);
  await tabs.end();
  return { answered, seconds: (performance.now() - startedAtMs) / 1000, fates };
}

class LoadedTabs {
  readonly #soak: SharedTabsSoak;
  readonly #random: Random;
  readonly #tabs: Tab[] = [];
  /** The number of answers in tabs that are gone. */
  #gone = 0;

  constructor(soak: SharedTabsSoak) {
    this.#soak = soak;
    this.#random = new Random(soak.seed);
  }

  async open(): Promise<void> {
    for (let index = 0; index < TABS; index += 1) this.#tabs.push(await this.#openTab());
  }

  /** Returns fates that the driver can cause, in random order. */
  dealFates(): Fate[] {
    const [tab] = this.#tabs;
    const kinds: Fate[] = ["close", "reload", "worker"];
    if (tab?.crash) kinds.push("crash");
    return this.#random.deal(kinds, this.#soak.faults);
  }

  /** Resolves with the number of answers when there are at least `count`. */
  async untilAnswered(count: number): Promise<number> {
    let answered = await this.#answered();
    let lastAtMs = performance.now();
    while (answered < count) {
      await sleep(POLL_MS);
      const before = answered;
      answered = await this.#answered();
      if (answered > before) lastAtMs = performance.now();
      if (performance.now() - lastAtMs > STALL_MS) throw new Error(`no answer for ${STALL_MS} ms, after ${answered}`);
    }
    return answered;
  }

  /** Ends the worker or a tab, chosen at random. Opens another tab in place of one that is gone. */
  async strike(fate: Fate): Promise<void> {
    const index = this.#random.below(TABS);
    const tab = this.#tabs[index]!;
    if (fate === "worker") {
      await tab.ask(END_WORKER);
      return;
    }
    this.#gone += unharmed(await tallyOf(tab)).answered;
    if (fate === "reload") return this.#load(tab);
    await (fate === "crash" ? tab.crash?.() : tab.close());
    this.#tabs[index] = await this.#openTab();
  }

  /** Expects that all tabs share one worker, that they lost nothing, and that nothing is left of it. */
  async end(): Promise<void> {
    for (const tab of this.#tabs)
      await until(async () => (await tallyOf(tab)).shared.tabs === TABS, "all tabs together");
    const [first] = this.#tabs;
    await until(async () => (await locksOf(first)).filter((name) => name.endsWith("alive")).length === 1, "one worker");
    for (const tab of this.#tabs) {
      const tally: Tally = JSON.parse(await tab.ask("load.end(false).then(JSON.stringify)"));
      const { asked, answered } = unharmed(tally);
      if (answered !== asked) throw new Error(`${asked - answered} of ${asked} requests were not answered`);
    }
    await until(async () => (await locksOf(first)).length === 0, "no worker");
  }

  async #openTab(): Promise<Tab> {
    const tab = await this.#soak.browser.openTab();
    await this.#load(tab);
    return tab;
  }

  async #load(tab: Tab): Promise<void> {
    await tab.open(`${this.#soak.site}/harness.html`);
    await until(async () => (await tab.ask('String("harness" in globalThis)')) === "true", "the page");
    const begun = `harness.beginLoad("/models/mlp-tiny.onnx", ${CALLERS}, ${JSON.stringify(MODEL)})`;
    await tab.ask(`${begun}.then((load) => ((globalThis.load = load), ""))`);
  }

  async #answered(): Promise<number> {
    let answered = this.#gone;
    for (const tab of this.#tabs) answered += unharmed(await tallyOf(tab)).answered;
    return answered;
  }
}

async function tallyOf(tab: Tab): Promise<Tally> {
  return JSON.parse(await tab.ask("JSON.stringify(load.tally())"));
}

async function locksOf(tab: Tab | undefined): Promise<string[]> {
  return JSON.parse((await tab?.ask(LOCKS)) ?? "[]");
}

/** @throws Error when a request failed or got a wrong answer */
function unharmed(tally: Tally): Tally {
  const { wrong, failures, answered } = tally;
  if (wrong === 0 && failures.length === 0) return tally;
  throw new Error(`${wrong} of ${answered} answers are wrong, and ${failures.length} failed: ${failures.join(", ")}`);
}

async function until(isReached: () => Promise<boolean>, what: string): Promise<void> {
  const lastAtMs = performance.now() + STALL_MS;
  while (!(await isReached())) {
    if (performance.now() > lastAtMs) throw new Error(`expected ${what} within ${STALL_MS} ms`);
    await sleep(POLL_MS);
  }
}

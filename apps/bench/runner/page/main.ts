import { chromium } from "@playwright/test";
import type { Gap } from "../../src/results.js";
import { agree } from "../../src/run/opened-lanes.js";
import { seededRandom, shuffled, type Random } from "../../src/statistics/random.js";
import { flagsFor, refusesMachine } from "../visits/browser.js";
import { describeMachine } from "../visits/machine.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { ALL, LANES, loadsOf, MOST_WIDGETS, QUICK, type PageGroup, type PagePlan } from "./plan.js";
import { reportOf, type MeasuredSlice } from "./report.js";
import { pageMarkdown } from "./tables.js";
import { Visit } from "./visit.js";
import { within } from "../visits/within.js";

/** The options of the command line, and the paths. */
export interface PageCommand extends SuiteCommand {
  /** Only loads whose name contains this; "" for those of the plan. */
  readonly only: string;
}

/** How long a page may take beside its slices, in ms. */
const GRACE_MS = 30_000;

/**
 * Measures lanes one by one on pages that animate and are typed in. Writes the report as JSON and Markdown, and prints
 * the Markdown. Returns whether every cell was measured.
 */
export async function runPageSuite(command: PageCommand): Promise<boolean> {
  if (await refusesMachine(command)) return false;
  const date = new Date().toISOString();
  const suite = new PageSuite(command);
  const { models, pages } = suite.plan;
  for (const model of models)
    for (const backend of command.backends)
      for (let turn = 0; turn < pages; turn++)
        for (const site of command.sites) await suite.turn({ model, backend, site }, turn);
  const { command: typed, seed } = command;
  const facts = { date, command: typed, seed, machine: describeMachine(), browser: suite.browser, gaps: suite.gaps };
  const report = reportOf(suite.measured, facts);
  await writeReport(command, "page", report, pageMarkdown(report));
  return suite.gaps.length === 0;
}

class PageSuite {
  readonly plan: PagePlan;
  readonly measured: MeasuredSlice[] = [];
  readonly gaps: Gap[] = [];
  browser = "";
  readonly #command: PageCommand;
  readonly #random: Random;
  readonly #answers = new Map<string, readonly number[]>();

  constructor(command: PageCommand) {
    const plan = command.isComplete ? ALL : QUICK;
    const { models = plan.models, pages = plan.pages } = command;
    this.plan = { ...plan, models, pages, loads: loadsOf(plan, command.only) };
    this.#command = command;
    this.#random = seededRandom(command.seed);
  }

  /** Measures each lane on a page of its own, in a new random order. */
  async turn(group: PageGroup, turn: number): Promise<void> {
    const { model, backend, site } = group;
    const seconds = (this.#command.elapsedMs() / 1000).toFixed(0);
    console.error(`  ${seconds} s: ${model} on ${backend}, ${site} site, page ${turn + 1} of ${this.plan.pages}`);
    for (const lane of shuffled(LANES, this.#random)) {
      try {
        await this.#visit(group, lane, turn);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.gaps.push({ ...group, load: "all", lane, reason });
      }
    }
  }

  async #visit(group: PageGroup, lane: string, turn: number): Promise<void> {
    const { executablePath, urls, seed } = this.#command;
    const { model, backend, site } = group;
    const browser = await chromium.launch({ executablePath, args: [...flagsFor(backend)] });
    this.browser = `Chromium ${browser.version()}`;
    try {
      const spec = { lane, model, backend, seed: seed + turn, widgets: MOST_WIDGETS };
      const page = await browser.newPage();
      const visit = await within(Visit.open(page, urls[site], spec, this.#random), GRACE_MS);
      this.#check(visit.opened.answer, `${model} ${seed + turn}`);
      for (const load of this.plan.loads) await this.#measure(visit, { ...group, lane, load }, turn);
    } finally {
      await browser.close();
    }
  }

  async #measure(visit: Visit, cell: MeasuredSlice["cell"], turn: number): Promise<void> {
    const { sliceMs, longestSliceMs } = this.plan;
    const slice = await within(visit.measure({ load: cell.load, sliceMs, longestSliceMs }), longestSliceMs + GRACE_MS);
    this.measured.push({ cell, turn, timerResolutionMs: visit.opened.timerResolutionMs, slice });
  }

  /** Fails if this lane answers the same item otherwise than the first one. */
  #check(answer: readonly number[], key: string): void {
    const expected = this.#answers.get(key) ?? answer;
    this.#answers.set(key, expected);
    if (!agree(expected, answer)) throw new Error("Its answer differs from that of the first lane.");
  }
}

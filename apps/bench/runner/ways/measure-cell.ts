import type { BrowserContext } from "@playwright/test";
import type { Cell, Gap, MeasuredGroup, Site } from "../../src/results.js";
import { groupKey } from "../../src/run/plan.js";
import { seededRandom, type Random } from "../../src/statistics/random.js";
import type { FirstAnswer } from "../../src/ways/first-answer-protocol.js";
import type { Training } from "../../src/ways/training.js";
import { measure } from "../visits/browser.js";
import type { MeasuredPage } from "../results/pool.js";
import type { Problem } from "../visits/problem.js";
import { collectFirstAnswers, sliceOf } from "./first-answers.js";
import { CALLERS, lanesOf, type Visit, type WaysCell, type WaysPlan } from "./plan.js";
import { askOnce, inNewProfile, trainOn, withBrowser, withProfile, type BrowserOptions } from "./profiles.js";
import { mayBeBest } from "./race.js";

export interface CellRequest extends BrowserOptions {
  readonly cell: WaysCell;
  readonly plan: WaysPlan;
  readonly urls: Readonly<Record<Site, string>>;
  readonly seed: number;
  readonly say: (text: string) => void;
}

/** The way that framebatch ran on without options. */
export interface RanOn extends WaysCell {
  readonly visit: Visit;
  /** The number of callers with which the ways were measured; `null` on the first visit. */
  readonly callers: number | null;
  /** As lanes are named; several if pages differ. */
  readonly ways: readonly string[];
}

/** A visit by its profile: in a new profile, `callers` is `null`. */
interface Visited {
  readonly visit: Visit;
  readonly callers: number | null;
}

const FIRST: Visited = { visit: "first", callers: null };

/** The load under which first answers are compared. */
const ANSWERS: Readonly<Record<Visit, string>> = { first: "first-answer", second: "first-answer-again" };

/** All that is measured of a model on one site in one kind of browser. */
export class MeasuredCell {
  readonly cell: WaysCell;
  readonly pages: MeasuredPage[] = [];
  readonly trainings: Training[] = [];
  readonly ranOn: RanOn[] = [];
  readonly gaps: Gap[] = [];
  /** Why pages have no figures, or not all. */
  readonly problems: Problem[] = [];
  readonly #request: CellRequest;
  readonly #random: Random;

  constructor(request: CellRequest) {
    this.cell = request.cell;
    this.#request = request;
    this.#random = seededRandom(request.seed);
  }

  /** Measures both visits. */
  async run(): Promise<void> {
    await this.#firstVisits();
    for (const callers of this.#request.plan.trained) {
      const ways = await this.#secondVisits(callers);
      // The profiles would not differ.
      if (ways === 0) return;
    }
  }

  /** Makes each visit in a profile of its own. */
  #firstVisits(): Promise<void> {
    const { plan, urls } = this.#request;
    return withBrowser(this.#request, async (browser) => {
      const lanes = await this.#firstAnswers(FIRST, (lane) =>
        inNewProfile(browser, (profile) => this.#ask(profile, lane)),
      );
      const url = urls[this.cell.site];
      for (let page = 0; page < plan.pages; page++) {
        for (const callers of CALLERS)
          await inNewProfile(browser, (profile) => this.#page(profile, url, lanes, [callers], plan.trafficMs));
      }
    });
  }

  /** Lets framebatch measure its ways with this number of callers, and visits the same profile again. */
  async #secondVisits(callers: number): Promise<number> {
    const { cell } = this;
    const { plan, urls, seed, say } = this.#request;
    const url = urls[cell.site];
    return withProfile(this.#request, async (profile) => {
      say(`measuring the ways with ${callers} callers`);
      const { model, backend } = cell;
      const training = await trainOn(profile, url, { model, backend, callers, seed, limitMs: plan.trainingMs });
      this.trainings.push(training);
      this.#add([training.group]);
      const visited = { visit: "second", callers } as const;
      const lanes = await this.#firstAnswers(visited, (lane) => this.#ask(profile, lane));
      const loads = training.ways === 0 || plan.trained.length === 1 ? CALLERS : [callers];
      for (let page = 0; page < plan.pages; page++) await this.#page(profile, url, lanes, loads);
      return training.ways;
    });
  }

  #ask(profile: BrowserContext, lane: string): Promise<FirstAnswer> {
    const { model, backend, site } = this.cell;
    const { urls, plan } = this.#request;
    return askOnce(profile, urls[site], { model, backend, lane }, plan.answerLimitMs);
  }

  /** Collects first answers. Returns the lanes that may be the best one under a load. */
  async #firstAnswers(
    { visit, callers }: Visited,
    ask: (lane: string) => Promise<FirstAnswer>,
  ): Promise<readonly string[]> {
    const { plan, say } = this.#request;
    say(`first answers, ${visit} visit`);
    const lanes = lanesOf(this.cell, visit);
    const { answers, failures } = await collectFirstAnswers(lanes, plan.answers, this.#random, ask);
    const load = ANSWERS[visit];
    this.#add([{ name: { ...this.cell, load }, slices: [...answers].map(([lane, all]) => [lane, all.map(sliceOf)]) }]);
    for (const [lane, reason] of failures) this.gaps.push({ ...this.cell, load, lane, reason });
    const [own = ""] = lanes;
    const ways = new Set(answers.get(own)?.flatMap(({ runsOn }) => runsOn ?? []));
    this.ranOn.push({ ...this.cell, visit, callers, ways: [...ways] });
    const left = mayBeBest(answers);
    for (const lane of answers.keys()) {
      if (!left.includes(lane))
        this.#leaveOut({ lane, load: "closed" }, "one call takes over 20 times as long as on the fastest way");
    }
    return left;
  }

  /** Measures the loads on one page. @param trafficMs how long the first lane has traffic before */
  async #page(
    profile: BrowserContext,
    url: string,
    lanes: readonly string[],
    callers: readonly number[],
    trafficMs = 0,
  ): Promise<void> {
    const { cell, pages } = this;
    const { plan, seed, say } = this.#request;
    say(`page ${pages.length}: ${lanes.join(", ")}`);
    const spec = {
      backend: cell.backend,
      ownModel: null,
      lanes,
      subset: "ways" as const,
      groups: callers.map((count) => groupKey(cell.model, `closed-${count}`)),
      only: "",
      seed: seed + pages.length,
      rounds: plan.rounds,
      trafficMs,
      sliceMs: plan.sliceMs,
      longestSliceMs: plan.longestSliceMs,
      longestNeedMs: Infinity,
      budgetMs: plan.pageLimitMs,
    };
    const request = { url, spec, requireHardware: false, graceMs: plan.pageLimitMs, say };
    const { report, problem } = await measure(profile, request);
    if (report !== null) pages.push(report);
    this.gaps.push(...(report?.gaps ?? []));
    if (problem === null) return;
    this.problems.push(problem);
    for (const lane of lanes) this.#leaveOut({ lane, load: "closed" }, problem.message);
  }

  #leaveOut(what: Pick<Cell, "lane" | "load">, reason: string): void {
    this.gaps.push({ ...this.cell, ...what, reason });
  }

  #add(groups: readonly MeasuredGroup[]): void {
    // The clock of these figures is fine enough: they take many of its steps.
    this.pages.push({ adapter: null, page: { timerResolutionMs: 0 }, groups });
  }
}

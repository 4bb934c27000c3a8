import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Backend, Site } from "../src/results.js";
import type { RunSpec } from "../src/spec.js";
import { assemble, isComplete, type Measured } from "./assemble.js";
import { flagsFor } from "./visits/browser.js";
import { compareReports } from "./results/compare.js";
import { measureFirstPredictions, type Starts } from "./visits/first-predictions.js";
import { visitTwice } from "./visits/first-visits.js";
import { toHtml } from "./print/html.js";
import { describeMachine } from "./visits/machine.js";
import { changesTable, toMarkdown } from "./print/markdown.js";
import { runPages } from "./visits/pages.js";
import { backendsFor, budgetOf, PLANS, type PagesBySite, type Plan, type Thoroughness } from "./plans.js";
import { reportsOf } from "./results/pool.js";
import type { Report } from "./results/report.js";
import { writeIn } from "./visits/suite-command.js";

/** The options of the command line, and the paths. */
export interface BenchCommand {
  readonly executablePath: string;
  /** URL of the built benchmark page on each site. */
  readonly urls: Readonly<Record<Site, string>>;
  /** Number of pages that measure every group, on this site only. `undefined` for those of the plan. */
  readonly pages: number | undefined;
  readonly site: Site | undefined;
  /** Returns the bytes that the page's server has sent so far, without headers. */
  readonly servedBytes: () => number;
  readonly backends: readonly Backend[];
  readonly thoroughness: Thoroughness;
  readonly requireHardware: boolean;
  readonly only: string;
  /**
   * A user's model to measure: its name, and its URL from the page's point of view. `null` for the benchmark's own
   * models.
   */
  readonly ownModel: RunSpec["ownModel"];
  readonly seed: number;
  /** Number of slices per cell. Default: that of the plan. */
  readonly rounds: number | undefined;
  /** The builds of framebatch to compare, by name; the first is what the others are compared with. */
  readonly builds: readonly string[];
  /** The command as typed, for the report. */
  readonly command: string;
  readonly resultsFolder: string;
  /** An additional path for the JSON. */
  readonly jsonFile: string | undefined;
  /** An earlier report to compare with. */
  readonly compareFile: string | undefined;
  /** Returns the time since the command started, in ms. */
  readonly elapsedMs: () => number;
}

const NO_STARTS: Starts = { rows: [], problems: [] };

/**
 * Runs the measurements, writes the report as JSON, Markdown and HTML, and prints the Markdown. Returns whether
 * everything that the command selects was measured.
 */
export async function runBenchmark(command: BenchCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const measured: Measured[] = [];
  const backends = backendsFor(command.only, command.backends);
  for (const [index, backend] of backends.entries()) {
    measured.push(await measureBackend(command, backend, backends.length - index));
  }
  await write(command, assemble(command, { date, machine: describeMachine() }, measured));
  return isComplete(command, measured);
}

async function measureBackend(command: BenchCommand, backend: Backend, backendsLeft: number): Promise<Measured> {
  const plan = PLANS[command.thoroughness];
  const { lanes, sliceMs, longestSliceMs, longestNeedMs, subset } = plan;
  const { rounds = plan.rounds } = command;
  const moreOften = Math.max(1, rounds / plan.rounds);
  const budgetMs = budgetOf(plan, backend, command.elapsedMs(), backendsLeft) * moreOften;
  const { only, ownModel, seed } = command;
  const pages = await runPages({
    executablePath: command.executablePath,
    urls: command.urls,
    counts: countsOf(command, plan.pages[backend]),
    now: command.elapsedMs,
    graceMs: plan.graceMs,
    requireHardware: command.requireHardware,
    spec: {
      lanes: [...lanes, ...command.builds.map((name) => `frame@${name}`)],
      rounds,
      sliceMs,
      longestSliceMs,
      longestNeedMs,
      subset,
      backend,
      ownModel,
      only,
      seed,
      budgetMs,
    },
    say,
  });
  const mayVisit = reportsOf(pages).length > 0 && ownModel === null && `${backend}/first-prediction`.includes(only);
  return { pages, starts: mayVisit ? await visit(command, backend, plan) : NO_STARTS };
}

function visit(command: BenchCommand, backend: Backend, plan: Plan): Promise<Starts> {
  const { executablePath, servedBytes, seed } = command;
  const { visits: samples, visited: models } = plan;
  const request = { executablePath, flags: flagsFor(backend), url: command.urls.isolated, servedBytes };
  return measureFirstPredictions({
    backend,
    models,
    samples,
    seed,
    say,
    visitTwice: (spec) => visitTwice(request, spec),
  });
}

/** Returns the number of pages by site. `--site` moves all pages to one site. */
function countsOf({ site, pages }: BenchCommand, planned: PagesBySite): PagesBySite {
  const most = Math.max(...Object.values(planned));
  const onSites = site === undefined ? planned : { isolated: 0, ordinary: 0, [site]: most };
  const asked = (count: number) => (count === 0 ? 0 : (pages ?? count));
  return { isolated: asked(onSites.isolated), ordinary: asked(onSites.ordinary) };
}

function say(text: string): void {
  console.error(`  ${text}`);
}

async function write(command: BenchCommand, report: Report): Promise<void> {
  const json = `${JSON.stringify(report, null, 1)}\n`;
  const markdown = toMarkdown(report);
  const base = path.join(command.resultsFolder, report.date.replaceAll(":", "-").replace(/\.\d+Z$/, "Z"));
  await writeIn(`${base}.json`, json);
  await writeIn(`${base}.md`, markdown);
  await writeIn(`${base}.html`, await toHtml(report));
  if (command.jsonFile !== undefined) await writeIn(command.jsonFile, json);
  console.log(`${markdown}\nWritten to ${base}.json, .md and .html`);
  if (command.compareFile !== undefined) {
    const earlier: Report = JSON.parse(await readFile(command.compareFile, "utf8"));
    console.log(`\n${changesTable(earlier.date, compareReports(earlier, report))}`);
  }
}

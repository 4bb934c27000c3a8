import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Backend, PageReport, Site, StartRow } from "../src/results.js";
import type { RunSpec } from "../src/spec.js";
import { flagsFor, type PageRun } from "./browser.js";
import { compareReports } from "./compare.js";
import { measureFirstPredictions } from "./first-predictions.js";
import { grouped } from "./grouped.js";
import { toHtml } from "./html.js";
import { describeMachine } from "./machine.js";
import { changesTable, toMarkdown } from "./markdown.js";
import { reportsOf, runPages } from "./pages.js";
import { backendsFor, budgetOf, PLANS, type PagesBySite, type Plan, type Thoroughness } from "./plans.js";
import { poolPages } from "./pool.js";
import type { Report } from "./report.js";
import { judge } from "./targets.js";

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

/** The results of one backend. */
interface Measured {
  readonly pages: readonly PageRun[];
  readonly starts: readonly StartRow[];
}

/**
 * Runs the measurements, writes the report as JSON, Markdown and HTML, and prints the Markdown. Returns whether
 * everything that the command selects was measured.
 */
export async function runBenchmark(command: BenchCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const measured = new Map<Backend, Measured>();
  const backends = backendsFor(command.only, command.backends);
  for (const [index, backend] of backends.entries()) {
    measured.set(backend, await measureBackend(command, backend, backends.length - index));
  }
  const report = assemble(command, date, measured);
  await write(command, report);
  const problems = [...measured.values()].flatMap(({ pages }) => pages.flatMap(({ problem }) => problem ?? []));
  return problems.every(({ isAbsence }) => isAbsence && command.backends.length > 1);
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
  return { pages, starts: mayVisit ? await visit(command, backend, plan) : [] };
}

function visit(command: BenchCommand, backend: Backend, plan: Plan): Promise<StartRow[]> {
  const { executablePath, servedBytes, seed } = command;
  const url = command.urls.isolated;
  const { visits: samples, visited: models } = plan;
  const flags = flagsFor(backend);
  return measureFirstPredictions({ executablePath, flags, url, servedBytes, backend, models, samples, seed, say });
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

function assemble(command: BenchCommand, date: string, measured: ReadonlyMap<Backend, Measured>): Report {
  const pages = [...measured.values()].flatMap((each) => each.pages);
  const reports = reportsOf(pages);
  const { rows, ratios, standings } = poolPages(reports, command.seed);
  const micro = reports.slice(0, 1).flatMap((report) => report.micro);
  const starts = [...measured.values()].flatMap((each) => each.starts);
  return {
    format: 4,
    date,
    command: command.command,
    seed: command.seed,
    machine: describeMachine(),
    runs: runsOf(pages),
    targets: judge({ ratios, micro, rows, starts }),
    standings,
    rows,
    ratios,
    starts,
    curves: ofFirst(reports, ({ curves }) => curves),
    memory: ofFirst(reports, ({ memory }) => memory),
    micro,
    gaps: ofFirst(reports, ({ gaps }) => gaps),
    problems: problemsOf(command, pages, starts),
  };
}

/** Returns one entry for each backend and site, with the properties of its first page and the number of its pages. */
function runsOf(pages: readonly PageRun[]): Report["runs"] {
  const measured = pages.flatMap(({ browser, flags, report }) => (report === null ? [] : { browser, flags, report }));
  return [...grouped(measured, ({ report }) => placeOf(report)).values()].flatMap((ofPlace) =>
    ofPlace.slice(0, 1).map(({ browser, flags, report: { backend, adapter, page } }) => {
      const site = page.crossOriginIsolated ? ("isolated" as const) : ("ordinary" as const);
      return { backend, site, pages: ofPlace.length, browser, flags, adapter, page };
    }),
  );
}

/** Returns what the first page of each backend and site reports; further pages repeat it. */
function ofFirst<Value>(reports: readonly PageReport[], pick: (report: PageReport) => readonly Value[]): Value[] {
  return [...grouped(reports, placeOf).values()].flatMap((ofPlace) => ofPlace.slice(0, 1).flatMap(pick));
}

function placeOf({ backend, page }: PageReport): string {
  return `${backend} ${page.crossOriginIsolated}`;
}

function problemsOf({ only }: BenchCommand, runs: readonly PageRun[], starts: readonly StartRow[]): string[] {
  const problems = runs.flatMap(({ problem }) => problem?.message ?? []);
  const measured = runs.some(({ report }) => report !== null && report.groups.length + report.micro.length > 0);
  const found = measured || starts.length > 0;
  return found || problems.length > 0 ? problems : [`Nothing was measured: does the name of a cell contain "${only}"?`];
}

async function write(command: BenchCommand, report: Report): Promise<void> {
  const json = `${JSON.stringify(report, null, 1)}\n`;
  const markdown = toMarkdown(report);
  const base = path.join(command.resultsFolder, report.date.replaceAll(":", "-").replace(/\.\d+Z$/, "Z"));
  await mkdir(command.resultsFolder, { recursive: true });
  await writeFile(`${base}.json`, json);
  await writeFile(`${base}.md`, markdown);
  await writeFile(`${base}.html`, await toHtml(report));
  if (command.jsonFile !== undefined) await writeFile(command.jsonFile, json);
  console.log(`${markdown}\nWritten to ${base}.json, .md and .html`);
  if (command.compareFile !== undefined) {
    const earlier: Report = JSON.parse(await readFile(command.compareFile, "utf8"));
    console.log(`\n${changesTable(earlier.date, compareReports(earlier, report))}`);
  }
}

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Backend, StartRow } from "../src/results.js";
import type { RunSpec } from "../src/spec.js";
import { flagsFor, runBackend, type BackendRun } from "./browser.js";
import { compareReports } from "./compare.js";
import { measureFirstPredictions } from "./first-predictions.js";
import { toHtml } from "./html.js";
import { describeMachine } from "./machine.js";
import { changesTable, toMarkdown } from "./markdown.js";
import { backendsFor, budgetOf, PLANS, type Plan, type Thoroughness } from "./plans.js";
import type { Report } from "./report.js";
import { judge } from "./targets.js";

/** The options of the command line, and the paths. */
export interface BenchCommand {
  readonly executablePath: string;
  /** URL of the built benchmark page. */
  readonly url: string;
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
  readonly run: BackendRun;
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
  return [...measured.values()].every(
    ({ run: { problem } }) => problem === null || (problem.isAbsence && command.backends.length > 1),
  );
}

async function measureBackend(command: BenchCommand, backend: Backend, backendsLeft: number): Promise<Measured> {
  const plan = PLANS[command.thoroughness];
  const { lanes, sliceMs, longestSliceMs, longestNeedMs, subset } = plan;
  const { rounds = plan.rounds } = command;
  const moreOften = Math.max(1, rounds / plan.rounds);
  const budgetMs = budgetOf(plan, backend, command.elapsedMs(), backendsLeft) * moreOften;
  const { only, ownModel, seed } = command;
  const run = await runBackend({
    executablePath: command.executablePath,
    url: command.url,
    graceMs: plan.graceMs,
    requireHardware: command.requireHardware,
    spec: {
      lanes,
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
  const mayVisit = run.report !== null && ownModel === null && `${backend}/first-prediction`.includes(only);
  return { run, starts: mayVisit ? await visit(command, backend, plan) : [] };
}

function visit(command: BenchCommand, backend: Backend, plan: Plan): Promise<StartRow[]> {
  const { executablePath, url, servedBytes, seed } = command;
  const { visits: samples, visited: models } = plan;
  const flags = flagsFor(backend);
  return measureFirstPredictions({ executablePath, flags, url, servedBytes, backend, models, samples, seed, say });
}

function say(text: string): void {
  console.error(`  ${text}`);
}

function assemble(command: BenchCommand, date: string, measured: ReadonlyMap<Backend, Measured>): Report {
  const runs = [...measured.values()].map(({ run }) => run);
  const reports = runs.flatMap(({ report }) => report ?? []);
  const ratios = reports.flatMap((report) => report.ratios);
  const micro = reports.flatMap((report) => report.micro);
  const rows = reports.flatMap((report) => report.rows);
  const starts = [...measured.values()].flatMap((each) => each.starts);
  return {
    format: 3,
    date,
    command: command.command,
    seed: command.seed,
    machine: describeMachine(),
    runs: runs.flatMap(({ browser, flags, report }) => {
      if (report === null) return [];
      const { backend, adapter, page } = report;
      return { backend, browser, flags, adapter, page };
    }),
    targets: judge({ ratios, micro, rows, starts }),
    standings: reports.flatMap((report) => report.standings),
    rows,
    ratios,
    starts,
    curves: reports.flatMap((report) => report.curves),
    memory: reports.flatMap((report) => report.memory),
    micro,
    gaps: reports.flatMap((report) => report.gaps),
    problems: problemsOf(command, runs, starts),
  };
}

function problemsOf({ only }: BenchCommand, runs: readonly BackendRun[], starts: readonly StartRow[]): string[] {
  const problems = runs.flatMap(({ problem }) => problem?.message ?? []);
  const measured = runs.some(({ report }) => report !== null && report.rows.length + report.micro.length > 0);
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

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Backend } from "../src/results.js";
import { runBackend, type BackendRun } from "./browser.js";
import { describeMachine } from "./machine.js";
import { toMarkdown } from "./markdown.js";
import { backendsFor, budgetOf, graceOf, QUICK, STANDARD } from "./plans.js";
import type { Report } from "./report.js";
import { judge } from "./targets.js";

/** What the command line asks for, and where things are. */
export interface BenchCommand {
  readonly executablePath: string;
  /** Of the built benchmark page. */
  readonly url: string;
  readonly backends: readonly Backend[];
  readonly isQuick: boolean;
  readonly requireHardware: boolean;
  readonly only: string;
  readonly seed: number;
  /** As typed, for the report. */
  readonly command: string;
  readonly resultsFolder: string;
  /** A further place for the JSON. */
  readonly jsonFile: string | undefined;
  /** Milliseconds since the command was started. */
  readonly elapsedMs: () => number;
}

/** Measures, writes the report as JSON and as Markdown, and prints the latter. Whether all that was asked for could be measured. */
export async function runBenchmark(command: BenchCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const runs = new Map<Backend, BackendRun>();
  const backends = backendsFor(command.only, command.backends);
  for (const [index, backend] of backends.entries()) {
    runs.set(backend, await runOne(command, backend, backends.length - index));
  }
  const report = assemble(command, date, runs);
  await write(command, report);
  return [...runs.values()].every(
    ({ problem }) => problem === null || (problem.isAbsence && command.backends.length > 1),
  );
}

function runOne(command: BenchCommand, backend: Backend, backendsLeft: number): Promise<BackendRun> {
  const plan = command.isQuick ? QUICK : STANDARD;
  const budgetMs = budgetOf(backend, command.isQuick, command.elapsedMs(), backendsLeft);
  return runBackend({
    executablePath: command.executablePath,
    url: command.url,
    graceMs: graceOf(command.isQuick),
    requireHardware: command.requireHardware,
    spec: { ...plan, backend, only: command.only, seed: command.seed, budgetMs },
    say: (text) => console.error(`  ${text}`),
  });
}

function assemble(command: BenchCommand, date: string, runs: ReadonlyMap<Backend, BackendRun>): Report {
  const reports = [...runs.values()].flatMap(({ report }) => report ?? []);
  const ratios = reports.flatMap((report) => report.ratios);
  const micro = reports.flatMap((report) => report.micro);
  return {
    format: 1,
    date,
    command: command.command,
    seed: command.seed,
    machine: describeMachine(),
    runs: [...runs.values()].flatMap(({ browser, flags, report }) => {
      if (report === null) return [];
      const { backend, adapter, page } = report;
      return { backend, browser, flags, adapter, page };
    }),
    targets: judge(ratios, micro),
    rows: reports.flatMap((report) => report.rows),
    ratios,
    micro,
    gaps: reports.flatMap((report) => report.gaps),
    problems: problemsOf(command, runs),
  };
}

function problemsOf({ only }: BenchCommand, runs: ReadonlyMap<Backend, BackendRun>): string[] {
  const problems = [...runs.values()].flatMap(({ problem }) => problem?.message ?? []);
  const found = [...runs.values()].some(({ report }) => report !== null && !isEmpty(report));
  return found || problems.length > 0 ? problems : [`Nothing was measured: does the name of a cell contain "${only}"?`];
}

function isEmpty({ rows, micro }: Pick<Report, "rows" | "micro">): boolean {
  return rows.length + micro.length === 0;
}

async function write(command: BenchCommand, report: Report): Promise<void> {
  const json = `${JSON.stringify(report, null, 1)}\n`;
  const markdown = toMarkdown(report);
  const base = path.join(command.resultsFolder, report.date.replaceAll(":", "-").replace(/\.\d+Z$/, "Z"));
  await mkdir(command.resultsFolder, { recursive: true });
  await writeFile(`${base}.json`, json);
  await writeFile(`${base}.md`, markdown);
  if (command.jsonFile !== undefined) await writeFile(command.jsonFile, json);
  console.log(`${markdown}\nWritten to ${base}.json and .md`);
}

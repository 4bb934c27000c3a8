import process from "node:process";
import { readFileSync } from "node:fs";
import { Threads } from "./browser/threads.js";
import { examine, type Report } from "./examine.js";
import { catchUncaught } from "./kernel/uncaught.js";
import { drawScenario, SUBJECTS } from "./draw/draw.js";
import { printScenario } from "./scenario/print.js";
import { shrink } from "./scenario/shrink.js";
import { compileSources } from "./sources.js";

const HELP = `npm run measure sim:system -- [options]
  --scenarios N   number of scenarios (default 1000)
  --hours N       run for so long instead
  --seconds N     run for so long instead
  --seed N        first seed (default 1); with --only, the only one, with its log
  --about NAME    only scenarios about one thing; a wrong name lists all
  --only
  --count         go on after a counterexample, and say how many scenarios break which rule
  --plants        plants each bug in sim/system/plants, one after the other, until it is found
  --named TEXT    with --plants, only those with this text in their name or file
  --limit N       with --plants, seconds of processor time for each (default 60)`;
// Beside these, the script passes `--halves FILE`, framebatch's bundled halves, and `--clean FILE` for those without a planted bug.

const args = process.argv.slice(2);
const numberOf = (name: string, otherwise: number) => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : Number(args[at + 1]);
};

const about = args.includes("--about") ? args[args.indexOf("--about") + 1] : undefined;

if (args.includes("--help")) console.log(HELP);
else process.exitCode = await main();

async function main(): Promise<number> {
  if (about !== undefined && !SUBJECTS.includes(about)) {
    console.error(`--about: expected one of ${SUBJECTS.join(", ")}, got ${about}.`);
    return 1;
  }
  catchUncaught();
  const halves: { page: string; worker: string } = JSON.parse(
    readFileSync(args[args.indexOf("--halves") + 1]!, "utf8"),
  );
  const threads = new Threads(compileSources(halves));
  const first = numberOf("--seed", 1);
  if (args.includes("--clean")) return findPlanted(first, numberOf("--limit", 60), threads);
  if (args.includes("--only")) return showOne(first, threads);
  const seconds = numberOf("--seconds", numberOf("--hours", 0) * 3600);
  const until = seconds > 0 ? performance.now() + seconds * 1000 : Infinity;
  const count = seconds > 0 ? Infinity : numberOf("--scenarios", 1000);
  return search(first, count, until, threads);
}

/** Searches for a scenario that breaks a promise because of a planted bug. Writes one line of JSON. */
async function findPlanted(first: number, limit: number, threads: Threads): Promise<number> {
  leaveOutStacks();
  const clean = new Threads(compileSources(JSON.parse(readFileSync(args[args.indexOf("--clean") + 1]!, "utf8"))));
  const seconds = () => process.cpuUsage().user / 1e6;
  const before = seconds();
  for (let seed = first; seconds() - before < limit; seed++) {
    const { violations } = await examine(drawScenario(seed, about), threads);
    const [found] = violations;
    if (found === undefined) continue;
    const { violations: own } = await examine(drawScenario(seed, about), clean);
    if (own.length > 0) continue;
    console.log(JSON.stringify({ ...found, seed, scenarios: seed - first + 1, seconds: seconds() - before }));
    return 1;
  }
  console.log(JSON.stringify({ rule: null }));
  return 0;
}

/** Errors are many, and their stacks take longer than they do. */
function leaveOutStacks(): void {
  Error.stackTraceLimit = 0;
}

async function search(first: number, count: number, until: number, threads: Threads): Promise<number> {
  leaveOutStacks();
  const startedAt = performance.now();
  const isCounting = args.includes("--count");
  const found = new Map<string, number[]>();
  const sum: Sum = { scenarios: 0, calls: 0, answered: 0, tasks: 0, traces: 0, codes: {} };
  for (let seed = first; sum.scenarios < count && performance.now() < until; seed++) {
    const report = await examine(drawScenario(seed, about), threads);
    add(sum, report);
    if (report.violations.length === 0) continue;
    if (!isCounting) {
      Error.stackTraceLimit = 10;
      await explain(seed, report, threads);
      return 1;
    }
    tell(seed, report);
    for (const rule of new Set(report.violations.map((violation) => violation.rule)))
      found.set(rule, [...(found.get(rule) ?? []), seed]);
  }
  for (const [rule, seeds] of found)
    console.log(`${rule}: ${seeds.length} scenarios, as ${seeds.slice(0, 8).join(", ")}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage();
  console.log(
    `${sum.scenarios} scenarios from seed ${first}, ${found.size === 0 ? "no counterexample" : "counterexamples above"}: ${sum.calls} calls, ${sum.answered} answered, ${sum.tasks} tasks (traces ${sum.traces}) in ${seconds.toFixed(1)} s; ${Math.round(sum.scenarios / seconds)} scenarios/s, ${Math.round(sum.scenarios / ((user + system) / 1e6))} per second of processor time`,
  );
  console.log(
    `errors: ${
      Object.entries(sum.codes)
        .map(([code, times]) => `${code} ${times}`)
        .join(", ") || "none"
    }`,
  );
  return found.size > 0 ? 1 : 0;
}

/** What a search has seen. `traces` is equal for two searches in which all scenarios went the same way. */
interface Sum {
  scenarios: number;
  calls: number;
  answered: number;
  tasks: number;
  traces: number;
  readonly codes: Record<string, number>;
}

function add(sum: Sum, { calls, answered, tasks, codes, digest }: Report): void {
  sum.scenarios += 1;
  sum.calls += calls;
  sum.answered += answered;
  sum.tasks += tasks;
  sum.traces = Math.imul(sum.traces ^ digest, 0x01000193);
  for (const [code, times] of Object.entries(codes)) sum.codes[code] = (sum.codes[code] ?? 0) + times;
}

function tell(seed: number, { violations }: Report): void {
  console.log(`seed ${seed}:`);
  for (const { rule, what } of violations) console.log(`  ${rule}: ${what}`);
}

async function explain(seed: number, report: Report, threads: Threads): Promise<void> {
  const scenario = drawScenario(seed, about);
  tell(seed, report);
  const rule = report.violations[0]!.rule;
  const small = await shrink(scenario, async (smaller) => {
    const { violations } = await examine(smaller, threads);
    return violations.some((violation) => violation.rule === rule);
  });
  const { violations } = await examine(small, threads);
  console.log(`shrunk: ${violations.map((violation) => `${violation.rule}: ${violation.what}`).join("\n        ")}\n`);
  console.log(printScenario(small, `seed ${seed}: ${violations[0]?.rule ?? rule}`));
}

async function showOne(seed: number, threads: Threads): Promise<number> {
  const report = await examine(drawScenario(seed, about), threads, (line) => console.log(line));
  console.log(printScenario(drawScenario(seed, about), `seed ${seed}`), report);
  return report.violations.length > 0 ? 1 : 0;
}

import { writeFile } from "node:fs/promises";
import { NOTHING, type Findings } from "./kit/findings.js";
import { Lab } from "./kit/lab.js";
import type { Attempt, Effort, SoakPromise } from "./kit/promise.js";
import { Random } from "./kit/random.js";
import { MachineWatch } from "./kit/machine-watch.js";
import { isKept, lineOf, toJson, type Verdict } from "./kit/report.js";
import { PROMISES } from "./promises/all.js";

export interface SoakCommand {
  readonly executablePath: string;
  readonly seed: number;
  readonly effort: Effort;
  /** The promises to test; empty for all. */
  readonly only: readonly string[];
  readonly jsonFile: string | undefined;
}

export const PROMISE_IDS: readonly string[] = PROMISES.toSorted(byNumber).map(({ id }) => id);

/** The number of concurrent tests, for a machine with two cores. */
const LANES = 2;

/** Tests the promises and prints a line for each. Resolves with true if all are kept. */
export async function runSoak({ executablePath, seed, effort, only, jsonFile }: SoakCommand): Promise<boolean> {
  const chosen = PROMISES.filter(({ id }) => only.length === 0 || only.includes(id));
  const lab = await Lab.open({ executablePath });
  const machine = new MachineWatch();
  const verdicts: Verdict[] = [];
  const test = async (promise: SoakPromise) => {
    const startedAtMs = performance.now();
    const findings = await tryOut(promise, { lab, effort, seed, random: new Random(seed) });
    const verdict = {
      ...findings,
      // A short run is too small to judge speed.
      slow: effort === "full" ? findings.slow : [],
      id: promise.id,
      seconds: (performance.now() - startedAtMs) / 1000,
      slowdown: machine.slowdownSince(startedAtMs),
    };
    verdicts.push(verdict);
    console.log(lineOf(verdict, seed));
  };
  try {
    await inLanes(
      chosen.filter(({ isQuiet }) => !isQuiet),
      LANES,
      test,
    );
    await inLanes(
      chosen.filter(({ isQuiet }) => isQuiet),
      1,
      test,
    );
  } finally {
    machine.end();
    await lab.close();
  }
  if (jsonFile !== undefined) await writeFile(jsonFile, toJson(verdicts.toSorted(byNumber), seed));
  return verdicts.every(isKept);
}

/** Tests a promise. If the test throws, the promise counts as broken. */
export function tryOut(promise: SoakPromise, attempt: Attempt): Promise<Findings> {
  return promise.test(attempt).catch((error: unknown) => unfinished(error));
}

async function inLanes<Value>(values: readonly Value[], lanes: number, use: (value: Value) => Promise<void>) {
  const left = values.values();
  const lane = async () => {
    for (const value of left) await use(value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function unfinished(error: unknown): Findings {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { ...NOTHING, breaches: [`expected the test to complete, got ${why}`] };
}

function byNumber(one: { readonly id: string }, other: { readonly id: string }): number {
  return Number(one.id.slice(1)) - Number(other.id.slice(1));
}

import type { JSHandle, Page } from "@playwright/test";
import type { Streams, StreamsTally } from "../../fixtures/streams.js";
import type { StreamModel } from "../../fixtures/stream-kinds.js";
import { atLeast, atMost, NOTHING } from "../kit/findings.js";
import { LeakMeter } from "../kit/leak-meter.js";
import { leakSigns, lowestOf, type Checkpoint } from "../kit/leak-trend.js";
import type { Attempt, Effort, SoakPromise } from "../kit/promise.js";
import { DEATHS, followWorkers, heldWorkers, type Death } from "../kit/worker-faults.js";
import { hookWorkers } from "../kit/worker-hook.js";

/** `checkpoints`: how often memory is read, after the last death. With few steps, other memory would hide a leak. */
const PLANS = {
  full: { steps: 300_000, deaths: 12, checkpoints: 12 },
  short: { steps: 4000, deaths: 2, checkpoints: 0 },
} satisfies Record<Effort, object>;

/** Models with states, and whether they are in a group. */
const CASES: readonly (readonly [model: StreamModel, snapshotEvery: number, isGrouped: boolean])[] = [
  ["sequence-rows", 7, true],
  ["sequence-layers", 1, false],
  ["sequence-two-states", 64, false],
  ["sequence-voice", 16, false],
];

const STREAMS = 64;
const MAX_CALLS = 60;
const RUN_TIMEOUT_MS = 1000;
/** The share of the steps within which workers die. A worker that is replaced would hide its own leak. */
const DEADLY_SHARE = 0.2;
/** Without optimization: over so few steps, the code that the engine optimizes grows as a small leak does. */
const UNOPTIMISED = { flags: ["--js-flags=--no-opt --no-maglev"] };
/** The number of readings of memory in a row of which the lowest counts. */
const LOWEST_OF = 3;
/**
 * The noise is about 20 kB, and up to 0.1 MB of the browser's own notes on long tasks, together less than a byte for each step.
 * One object for each step has at least 12, and the state of a sequence that is kept after its end at least 300, which is 12
 * for each of its steps.
 */
const LIMITS = { bytesPerRequest: 1, growthBytes: 2 ** 18 };

/** P15: interleaved sequences give what each gives alone, bit by bit, whatever happens to them and to their worker. */
export const P15: SoakPromise = {
  id: "P15",
  title: "streams with state",
  isQuiet: false,
  async test(attempt) {
    const plan = PLANS[attempt.effort];
    const tallies: Omit<StreamsTally, "provider">[] = [];
    const leaks: string[] = [];
    for (const one of CASES) {
      const { signs, ...tally } = await outlive(attempt, one);
      tallies.push(tally);
      leaks.push(...signs.map((sign) => `${one[0]}: ${sign}`));
    }
    const sum = (part: (tally: Omit<StreamsTally, "provider">) => number) =>
      tallies.reduce((total, tally) => total + part(tally), 0);
    const [steps, wrong, losses] = [sum((it) => it.steps), sum((it) => it.wrong), sum((it) => it.losses)];
    const failures = tallies.flatMap((tally) => tally.failures);
    return {
      ...NOTHING,
      n: steps,
      lost: failures.length,
      wrong,
      faults: losses,
      figures: {
        sequences: sum((it) => it.sequences),
        aborted: sum((it) => it.aborted),
        resets: sum((it) => it.resets),
        snapshots: sum((it) => it.snapshots),
        dropped: sum((it) => it.dropped),
      },
      breaches: [
        ...failures,
        ...leaks,
        ...atMost("answers and states that differ", wrong, 0),
        ...atLeast("steps", steps, plan.steps * CASES.length),
        ...atLeast("workers lost", losses, plan.deaths * CASES.length),
      ],
    };
  },
};

/** Runs the streams of one model. Returns what became of them, and the signs of a leak. */
async function outlive(
  { lab, effort, seed, random }: Attempt,
  [model, snapshotEvery, isGrouped]: (typeof CASES)[number],
): Promise<StreamsTally & { readonly signs: readonly string[] }> {
  const { steps, deaths, checkpoints } = PLANS[effort];
  const page = await lab.openPage(UNOPTIMISED, prepare, await lab.serve({ headers: {} }));
  const streamed = await page.evaluateHandle((request) => window.soak.beginStreams(request), {
    model,
    url: `/models/${model}.onnx`,
    streams: STREAMS,
    maxCalls: MAX_CALLS,
    steps,
    seed,
    snapshotEvery,
    isGrouped,
    runTimeoutMs: RUN_TIMEOUT_MS,
    providers: ["wasm"],
  } as const);
  const kinds: Death[] = random.deal(Object.keys(DEATHS).filter(isDeath), deaths);
  for (const [index, kind] of kinds.entries()) {
    await untilAnswered(streamed, (DEADLY_SHARE * steps * (index + 1)) / deaths);
    await DEATHS[kind](page);
    await streamed.evaluate((all, count) => all.lost(count), index + 1);
  }
  const signs = checkpoints === 0 ? [] : await leaksOf(page, streamed, steps, checkpoints);
  const tally = await streamed.evaluate((all) => all.end());
  await page.context().browser()?.close();
  return { ...tally, signs };
}

async function prepare(blank: Page): Promise<void> {
  await followWorkers(blank);
  await hookWorkers(blank);
}

async function leaksOf(page: Page, streamed: JSHandle<Streams>, steps: number, count: number): Promise<string[]> {
  // The reference runs in the page.
  const meter = await LeakMeter.attach(page, []);
  const checkpoints: Checkpoint[] = [];
  for (let index = 0; index < count; index += 1) {
    const share = DEADLY_SHARE + 0.05 + (index / count) * (0.95 - DEADLY_SHARE);
    await untilAnswered(streamed, share * steps);
    await streamed.evaluate((all) => all.rest());
    checkpoints.push(await meter.read(await streamed.evaluate((all) => all.steps)));
    await streamed.evaluate((all) => all.resume());
  }
  return [
    ...leakSigns(lowestOf(checkpoints, LOWEST_OF), LIMITS),
    ...atMost("workers held after their loss", await lostWorkers(page), 0),
  ];
}

/** Returns the number of lost workers that the page still holds. */
async function lostWorkers(page: Page): Promise<number> {
  return (await heldWorkers(page)) - page.workers().length;
}

async function untilAnswered(streamed: JSHandle<Streams>, steps: number): Promise<void> {
  await streamed.evaluate((all, count) => all.answered(count), Math.floor(steps));
}

function isDeath(name: string): name is Death {
  return name in DEATHS;
}

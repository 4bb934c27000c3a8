import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type BrowserContext } from "@playwright/test";
import type { FirstPredictionSpec } from "../src/measure/first-prediction.js";
import type { Backend, StartRow } from "../src/results.js";
import { medianWithInterval } from "../src/statistics/bootstrap.js";
import { seededRandom, shuffled, type Random } from "../src/statistics/random.js";
import { median } from "../src/statistics/quantile.js";

/** Plain onnxruntime-web, the reference for the other lanes. */
const BARE = "ort-main";
const LANES: readonly string[] = [BARE, "frame"];

export interface StartRequest {
  readonly executablePath: string;
  readonly flags: readonly string[];
  readonly url: string;
  readonly backend: Backend;
  readonly models: readonly string[];
  /** Returns the bytes that the page's server has sent so far, without headers. */
  readonly servedBytes: () => number;
  /** Number of visits of each kind. */
  readonly samples: number;
  readonly seed: number;
  readonly say: (text: string) => void;
}

/** The result of a visit: the time to the first prediction, in ms, and the bytes from the network. */
interface Visit {
  readonly ms: number;
  readonly bytes: number;
}

/**
 * Measures the time to the first prediction on a first and on a second visit: a separate browser profile for each
 * sample, with the lanes in random order in each round.
 */
export async function measureFirstPredictions(request: StartRequest): Promise<StartRow[]> {
  const random = seededRandom(request.seed);
  const rows: StartRow[] = [];
  for (const model of request.models) rows.push(...(await measureModel(request, model, random)));
  return rows;
}

async function measureModel(request: StartRequest, model: string, random: Random): Promise<StartRow[]> {
  request.say(`${model} on ${request.backend}: first predictions`);
  const visits = new Map(LANES.map((lane) => [lane, { first: [] as Visit[], second: [] as Visit[] }]));
  for (let sample = 0; sample < request.samples; sample++) {
    for (const lane of shuffled(LANES, random)) {
      const [first, second] = await visitTwice(request, { backend: request.backend, model, lane });
      visits.get(lane)?.first.push(first);
      visits.get(lane)?.second.push(second);
    }
  }
  const bare = visits.get(BARE)?.first ?? [];
  return [...visits].flatMap(([lane, { first, second }]) => {
    const cell = { model, backend: request.backend, lane };
    return [
      rowOf({ ...cell, visit: "first" }, first, bare, random),
      rowOf({ ...cell, visit: "second" }, second, bare, random),
    ];
  });
}

function rowOf(
  cell: Pick<StartRow, "model" | "backend" | "lane" | "visit">,
  visits: readonly Visit[],
  bare: readonly Visit[],
  random: Random,
): StartRow {
  const times = visits.map(({ ms }) => ms);
  const ratios = times.map((ms, sample) => ms / (bare[sample]?.ms ?? Number.NaN));
  return {
    ...cell,
    firstPredictionMs: medianWithInterval([times], random),
    overBareFirst: medianWithInterval([ratios], random),
    networkBytes: median(visits.map(({ bytes }) => bytes)),
    samples: visits.length,
  };
}

/**
 * Makes both visits with a profile on disk, as users have it. The cache of a private window rejects files as large as
 * ONNX Runtime's.
 */
async function visitTwice(
  { executablePath, flags, ...request }: StartRequest,
  spec: FirstPredictionSpec,
): Promise<readonly [Visit, Visit]> {
  const profile = await mkdtemp(path.join(tmpdir(), "framebatch-profile-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: [...flags] });
  try {
    return [await visitOnce(context, request, spec), await visitOnce(context, request, spec)];
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

async function visitOnce(
  context: BrowserContext,
  request: Pick<StartRequest, "url" | "servedBytes">,
  spec: FirstPredictionSpec,
): Promise<Visit> {
  const page = await context.newPage();
  await page.goto(request.url);
  const servedBefore = request.servedBytes();
  const ms: number = await page.evaluate((wanted) => window.bench.timeFirstPrediction(wanted), spec);
  const bytes = request.servedBytes() - servedBefore;
  await page.close();
  return { ms, bytes };
}

import type { FirstPredictionSpec } from "../../src/measure/first-prediction.js";
import type { Backend, StartRow } from "../../src/results.js";
import { medianWithInterval } from "../../src/statistics/bootstrap.js";
import { seededRandom, shuffled, type Random } from "../../src/statistics/random.js";
import { median } from "../../src/statistics/quantile.js";

/** Plain onnxruntime-web, the reference for the other lanes. */
const BARE = "ort-main";
const LANES: readonly string[] = [BARE, "frame"];

export interface StartRequest {
  readonly backend: Backend;
  readonly models: readonly string[];
  /** Makes a first and a second visit in a new profile. */
  readonly visitTwice: (spec: FirstPredictionSpec) => Promise<readonly [Visit, Visit]>;
  /** Number of visits of each kind. */
  readonly samples: number;
  readonly seed: number;
  readonly say: (text: string) => void;
}

/** The result of a visit: the time to the first prediction, in ms, and the bytes from the network. */
export interface Visit {
  readonly ms: number;
  readonly bytes: number;
}

/** The models that were visited, and why others were not. */
export interface Starts {
  readonly rows: readonly StartRow[];
  readonly problems: readonly string[];
}

/**
 * Measures the time to the first prediction on a first and on a second visit: a separate browser profile for each
 * sample, with the lanes in random order in each round. A visit that fails does not reject: other results come before it.
 */
export async function measureFirstPredictions(request: StartRequest): Promise<Starts> {
  const random = seededRandom(request.seed);
  const rows: StartRow[] = [];
  const problems: string[] = [];
  for (const model of request.models) {
    try {
      rows.push(...(await measureModel(request, model, random)));
    } catch (error) {
      problems.push(`${request.backend}: the first predictions of ${model} failed: ${String(error)}`);
    }
  }
  return { rows, problems };
}

async function measureModel(request: StartRequest, model: string, random: Random): Promise<StartRow[]> {
  request.say(`${model} on ${request.backend}: first predictions`);
  const visits = new Map(LANES.map((lane) => [lane, { first: [] as Visit[], second: [] as Visit[] }]));
  for (let sample = 0; sample < request.samples; sample++) {
    for (const lane of shuffled(LANES, random)) {
      const [first, second] = await request.visitTwice({ backend: request.backend, model, lane });
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

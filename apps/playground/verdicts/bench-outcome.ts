import { runPages } from "../../bench/runner/visits/pages.js";
import { poolPages, reportsOf, type Pooled } from "../../bench/runner/results/pool.js";
import type { Ratio, Row } from "../../bench/src/results.js";
import type { Estimate } from "../../bench/src/statistics/bootstrap.js";
import type { Gain, LaneFigure } from "../src/measure/gain.js";
import type { Outcome } from "../src/measure/outcome.js";
import type { CheckedModel } from "./checked-models.js";

const LANE = "frame";
const REFERENCE = "off";

/** The playground is isolated in this comparison, and so are the pages of the benchmark. */
const PAGES = { isolated: 3, ordinary: 0 };

/** Enough rounds for intervals that tell, within a minute and a half for a model. All times are in ms. */
const EXTENT = {
  rounds: 40,
  sliceMs: 150,
  longestSliceMs: 1500,
  longestNeedMs: 60_000,
  budgetMs: 72_000,
  graceMs: 30_000,
  seed: 1,
} as const;

/** What a report of the benchmark says about one cell. */
type Measured = Pick<Pooled, "rows" | "ratios">;

/** Where the benchmark runs. */
export interface BenchPlace {
  readonly executablePath: string;
  /** URL of the built benchmark page. */
  readonly url: string;
  readonly say: (text: string) => void;
}

/**
 * Measures a model with the benchmark: `closed-N` for rates and latencies, then `isolated-N` for the first answer, on
 * the same lanes.
 */
export async function benchOutcome(model: CheckedModel, place: BenchPlace): Promise<Outcome> {
  const loads = [`closed-${model.callers}`, `isolated-${model.callers}`] as const;
  const report = await run(model, loads, place);
  const [closed, isolated] = loads.map((load) => cellsOf(report, load));
  if (closed === undefined || isolated === undefined) throw new Error("expected two loads");
  return toOutcome(model.callers, closed, isolated);
}

/** Converts the reports of the two loads to the terms of the playground. */
export function toOutcome(callers: number, closed: Measured, isolated: Measured): Outcome {
  const rates = ratioIn(closed);
  const latency = (report: Measured, ratio: Estimate | null, pick: (row: Row) => number | null): Gain => ({
    batched: figure(rowIn(report, LANE), pick),
    single: figure(rowIn(report, REFERENCE), pick),
    factor: inverse(ratio),
  });
  return {
    callers,
    pace: "continuous",
    maxBatch: 256,
    cost: null,
    batchSize: rowIn(closed, LANE).meanBatchSize,
    noise: null,
    keepsUp: false,
    gains: {
      throughput: {
        batched: { value: rowIn(closed, LANE).throughputPerSec, isAtLeast: false },
        single: { value: rowIn(closed, REFERENCE).throughputPerSec, isAtLeast: false },
        factor: flat(rates.throughput),
      },
      median: latency(closed, rates.p50, ({ p50Ms }) => p50Ms),
      p99: latency(closed, rates.p99, ({ p99Ms }) => p99Ms),
      first: latency(isolated, ratioIn(isolated).firstAnswer, ({ firstAnswerMs }) => firstAnswerMs),
    },
  };
}

async function run(
  { name, path, ownLength }: CheckedModel,
  loads: readonly string[],
  place: BenchPlace,
): Promise<Measured> {
  const { graceMs, ...extent } = EXTENT;
  const pages = await runPages({
    ...place,
    urls: { isolated: place.url, ordinary: place.url },
    counts: PAGES,
    now: () => performance.now(),
    graceMs,
    requireHardware: false,
    spec: {
      ...extent,
      backend: "wasm",
      subset: "peers",
      lanes: [LANE, REFERENCE],
      loads,
      only: `${name}/wasm/`,
      ownModel: ownLength === undefined ? null : { name, url: path, length: ownLength },
    },
  });
  const reports = reportsOf(pages);
  const problem = pages.flatMap((page) => page.problem ?? [])[0];
  const gap = reports.flatMap(({ gaps }) => gaps)[0];
  if (problem !== undefined || gap !== undefined || reports.length === 0)
    throw new Error(problem?.message ?? gap?.reason ?? `the benchmark did not measure ${name}`);
  return poolPages(reports, EXTENT.seed);
}

function cellsOf({ rows, ratios }: Measured, load: string): Measured {
  return { rows: rows.filter((row) => row.load === load), ratios: ratios.filter((ratio) => ratio.load === load) };
}

function ratioIn({ ratios }: Measured): Ratio {
  return found(ratios.find(({ lane, over }) => lane === LANE && over === REFERENCE));
}

function rowIn({ rows }: Measured, lane: string): Row {
  return found(rows.find((row) => row.lane === lane));
}

function found<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new Error("the report of the benchmark is incomplete");
  return value;
}

function figure(row: Row, pick: (row: Row) => number | null): LaneFigure {
  return { value: found(pick(row)), isAtLeast: row.latencyIsLowerBound };
}

function flat(estimate: Estimate | null): Gain["factor"] {
  const { value, interval } = found(estimate);
  return { value, ...interval };
}

/** A ratio of latencies as the factor by which batching is better. */
function inverse(estimate: Estimate | null): Gain["factor"] {
  const { value, low, high } = flat(estimate);
  return { value: 1 / value, low: 1 / high, high: 1 / low };
}

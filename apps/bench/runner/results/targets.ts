import type { Estimate } from "../../src/statistics/bootstrap.js";
import type { MicroRow, Ratio, Row, StartRow } from "../../src/results.js";

/** A promise of framebatch, as a ratio within one run or as a cost. */
interface Target {
  readonly claim: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  measured(results: Results): readonly Measured[];
}

/** The results that the targets are compared with. */
export interface Results {
  readonly ratios: readonly Ratio[];
  readonly micro: readonly MicroRow[];
  readonly rows: readonly Row[];
  readonly starts: readonly StartRow[];
}

interface Measured {
  readonly what: string;
  readonly estimate: Estimate;
  /** Number of values that the estimate is based on. */
  readonly count: number;
}

/** Minimum number of values for a meaningful interval. */
const MIN_COUNT = 5;

export interface Verdict {
  readonly claim: string;
  readonly what: string;
  readonly wanted: string;
  readonly estimate: Estimate;
  /**
   * `isMet` is the result by the median. `isClear` is true if the whole interval agrees and enough rounds were
   * measured.
   */
  readonly isMet: boolean;
  readonly isClear: boolean;
}

const BATCHING: readonly string[] = ["frame", "idle"];

const TARGETS: readonly Target[] = [
  saturated("mlp-tiny", "wasm", 15),
  saturated("mlp-784", "wasm", 5),
  saturated("mlp-tiny", "webgpu", 30),
  {
    claim: "A caller that awaits each result waits no longer than with batching off (p50)",
    atMost: 1.05,
    measured: ({ ratios }) =>
      ratios
        .filter(({ load, lane, over }) => load === "closed-1" && over === "off" && BATCHING.includes(lane))
        .flatMap((ratio) => named(ratio, ratio.p50)),
  },
  {
    claim: "256 callers get as much as a loop inside the worker (throughput over the limit)",
    atLeast: 0.95,
    measured: ({ ratios }) =>
      ratios
        .filter(({ load, lane, over }) => load === "closed-256" && over === "limit" && BATCHING.includes(lane))
        .flatMap((ratio) => named(ratio, ratio.throughput)),
  },
  {
    claim: "Main thread for each prediction, mlp-tiny on wasm, 256 callers, in µs, the callers' own cost included",
    atMost: 5,
    measured: ({ rows }) =>
      rows
        .filter(({ model, backend }) => model === "mlp-tiny" && backend === "wasm")
        .filter(({ load, lane }) => load === "closed-256" && BATCHING.includes(lane))
        .flatMap((row) => single(row, row.mainThreadUsPerPrediction)),
  },
  {
    claim: "No long task while 64 predictions a frame are asked for (long tasks a second)",
    atMost: 0,
    measured: ({ rows }) =>
      rows
        .filter(({ load, lane }) => load === "burst-64" && BATCHING.includes(lane))
        .flatMap((row) => single(row, row.longTasksPerSec)),
  },
  startsWithin("Time to the first prediction, nothing cached, over bare onnxruntime-web's", "first", 1.1),
  startsWithin(
    "Time to the first prediction of a second visit, over bare onnxruntime-web's of a first one",
    "second",
    0.6,
  ),
  {
    claim: "From enqueue to dispatch, in µs of main thread a request",
    atMost: 3,
    measured: ({ micro }) =>
      micro
        .filter(({ name }) => name === "enqueue")
        .map(({ burst, usPerRequest, samples }) => ({
          what: `bursts of ${burst}`,
          estimate: usPerRequest,
          count: samples,
        })),
  },
];

function saturated(model: string, backend: string, atLeast: number): Target {
  return {
    claim: `Batching on over off, ${model} on ${backend}, 256 callers (throughput)`,
    atLeast,
    measured: ({ ratios }) =>
      ratios
        .filter((ratio) => ratio.model === model && ratio.backend === backend && ratio.load === "closed-256")
        .filter(({ lane, over }) => over === "off" && BATCHING.includes(lane))
        .flatMap((ratio) => named(ratio, ratio.throughput)),
  };
}

function startsWithin(claim: string, visit: StartRow["visit"], atMost: number): Target {
  return {
    claim,
    atMost,
    measured: ({ starts }) =>
      starts
        .filter((row) => row.visit === visit && BATCHING.includes(row.lane))
        .map(({ model, backend, lane, overBareFirst, samples }) => ({
          what: `${model}/${backend}/${lane}`,
          estimate: overBareFirst,
          count: samples,
        })),
  };
}

/** Returns a figure of a row. Its interval is unknown, so it is a single point. */
function single({ model, backend, site, lane, slices }: Row, value: number | null): Measured[] {
  if (value === null) return [];
  return [
    {
      what: `${model}/${backend}/${site}/${lane}`,
      estimate: { value, interval: { low: value, high: value } },
      count: slices,
    },
  ];
}

function named({ model, backend, site, lane, rounds }: Ratio, estimate: Estimate | null): Measured[] {
  return estimate === null ? [] : [{ what: `${model}/${backend}/${site}/${lane}`, estimate, count: rounds }];
}

/** Compares the results with the targets. Targets without results have no verdict. */
export function judge(results: Results): Verdict[] {
  return TARGETS.flatMap((target) =>
    target.measured(results).map(({ what, estimate, count }) => ({
      claim: target.claim,
      what,
      wanted: target.atLeast === undefined ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`,
      estimate,
      isMet: holds(target, estimate.value),
      isClear: count >= MIN_COUNT && holds(target, estimate.interval.low) === holds(target, estimate.interval.high),
    })),
  );
}

function holds(
  { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Target,
  value: number,
): boolean {
  return value >= atLeast && value <= atMost;
}

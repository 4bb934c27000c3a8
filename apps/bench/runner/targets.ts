import type { Estimate } from "../src/statistics/bootstrap.js";
import type { MicroRow, Ratio } from "../src/results.js";

/** Something that framebatch promises, as a ratio within one run or as a cost. */
interface Target {
  readonly claim: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  measured(ratios: readonly Ratio[], micro: readonly MicroRow[]): readonly Measured[];
}

interface Measured {
  readonly what: string;
  readonly estimate: Estimate;
  /** Values behind the estimate. */
  readonly count: number;
}

/** An interval from fewer values than this says next to nothing. */
const LEAST_COUNT = 5;

export interface Verdict {
  readonly claim: string;
  readonly what: string;
  readonly wanted: string;
  readonly estimate: Estimate;
  /** By the median; `isClear` says whether the whole interval agrees, and rests on enough rounds. */
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
    atMost: 1.1,
    measured: (ratios) =>
      ratios
        .filter(({ load, lane, over }) => load === "closed-1" && over === "off" && BATCHING.includes(lane))
        .flatMap((ratio) => named(ratio, ratio.p50)),
  },
  {
    claim: "256 callers get as much as a loop inside the worker (throughput over the limit)",
    atLeast: 0.95,
    measured: (ratios) =>
      ratios
        .filter(({ load, lane, over }) => load === "closed-256" && over === "limit" && BATCHING.includes(lane))
        .flatMap((ratio) => named(ratio, ratio.throughput)),
  },
  {
    claim: "From enqueue to dispatch, in µs of main thread a request",
    atMost: 3,
    measured: (_, micro) =>
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
    measured: (ratios) =>
      ratios
        .filter((ratio) => ratio.model === model && ratio.backend === backend && ratio.load === "closed-256")
        .filter(({ lane, over }) => over === "off" && BATCHING.includes(lane))
        .flatMap((ratio) => named(ratio, ratio.throughput)),
  };
}

function named({ model, backend, lane, rounds }: Ratio, estimate: Estimate | null): Measured[] {
  return estimate === null ? [] : [{ what: `${model}/${backend}/${lane}`, estimate, count: rounds }];
}

/** Holds what was measured against what is promised. What was not measured has no verdict. */
export function judge(ratios: readonly Ratio[], micro: readonly MicroRow[]): Verdict[] {
  return TARGETS.flatMap((target) =>
    target.measured(ratios, micro).map(({ what, estimate, count }) => ({
      claim: target.claim,
      what,
      wanted: target.atLeast === undefined ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`,
      estimate,
      isMet: holds(target, estimate.value),
      isClear: count >= LEAST_COUNT && holds(target, estimate.interval.low) === holds(target, estimate.interval.high),
    })),
  );
}

function holds(
  { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Target,
  value: number,
): boolean {
  return value >= atLeast && value <= atMost;
}

import type { Cell, Row } from "../../src/results.js";
import { medianWithInterval, type ByPage, type Estimate } from "../../src/statistics/bootstrap.js";
import { median } from "../../src/statistics/quantile.js";
import type { Random } from "../../src/statistics/random.js";
import { isTooCoarse } from "../../src/statistics/timer-resolution.js";
import type { Slice } from "../../src/run/slice.js";

/** Computes the medians over the slices of a cell, by page. */
export function rowOf(
  cell: Cell,
  pages: ByPage<Slice>,
  facts: { readonly adapter: string | null; readonly timerResolutionMs: number; readonly random: Random },
): Row {
  const slices = pages.flat();
  const known = (pick: (slice: Slice) => number): number[][] =>
    pages.map((ofPage) => ofPage.map(pick).filter((value) => Number.isFinite(value)));
  const medianOf = (pick: (slice: Slice) => number): number | null => orNull(median(known(pick).flat()));
  const throughput = medianWithInterval(
    known((slice) => slice.throughputPerSec),
    facts.random,
  );
  const p50 = estimateOrNull(
    known((slice) => slice.p50Ms),
    facts.random,
  );
  return {
    ...cell,
    adapter: facts.adapter,
    throughputPerSec: throughput.value,
    throughputInterval: throughput.interval,
    p50Ms: p50?.value ?? null,
    p50Interval: p50?.interval ?? null,
    p95Ms: medianOf((slice) => slice.p95Ms),
    p99Ms: medianOf((slice) => slice.p99Ms),
    maxMs: medianOf((slice) => slice.maxMs),
    meanMs: medianOf((slice) => slice.meanMs),
    firstAnswerMs: medianOf((slice) => slice.firstAnswerMs),
    lastAnswerMs: medianOf((slice) => slice.lastAnswerMs),
    latencyIsLowerBound: slices.some((slice) => slice.latencyIsLowerBound),
    latencyIsCoarse: p50 !== null && isTooCoarse(p50.value, facts.timerResolutionMs),
    framesToPaint: medianOf((slice) => slice.framesToPaint),
    droppedFramesPerSec: medianOf((slice) => slice.droppedFramesPerSec) ?? 0,
    longTasksPerSec: medianOf((slice) => slice.longTasksPerSec) ?? 0,
    mainThreadUsPerPrediction: medianOf((slice) => slice.mainThreadUsPerPrediction),
    busyShare: medianOf((slice) => slice.busyShare),
    meanBatchSize: medianOf((slice) => slice.meanBatchSize),
    paddingWaste: medianOf((slice) => slice.paddingWaste),
    pages: pages.filter((ofPage) => ofPage.length > 0).length,
    slices: slices.length,
    samples: slices.reduce((sum, slice) => sum + slice.samples, 0),
  };
}

function estimateOrNull(values: ByPage, random: Random): Estimate | null {
  return values.flat().length === 0 ? null : medianWithInterval(values, random);
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

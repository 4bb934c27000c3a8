import type { CostModel } from "../cost/cost-model.js";

/** Rates that differ by no more than this share are equal: measured times tell no more. */
const NOISE = 0.01;

/** A batch of a burst must beat running one by one by more than this share of the time to an answer. */
const EARNED_SHARE = 1 / 8;

/** A load above this, which no engine bears for long, counts as this. */
const MAX_LOAD = 0.98;

/** A queue to be served in runs of one size. */
export interface Backlog {
  /** Requests that wait, from 1. */
  readonly queued: number;
  /** Most of them in one run. */
  readonly limit: number;
  readonly volume: number;
  /** Whether nobody else is expected before it is served. */
  readonly isAlone: boolean;
  /** Requests that wait in all, those included that cannot ride with these. */
  readonly waiting: number;
  /** Requests that have come in each millisecond of late. */
  readonly ratePerMs: number;
}

/**
 * The size of run that serves a queue with the least time to an answer. In m runs of k, each t(k) long, an answer takes
 * (m + 1) / 2 * t(k) on average: the economic lot size (Harris 1913), in whole runs. Others that come meanwhile, and those after
 * them, wait for the device time w(k) that a run takes beyond k rows at the best rate: (m + 1) / 2 * (t(k) + d w(k)). The weight d is as
 * many requests as wait, or as a queue has at this load (M/M/1), whichever is more. It is 0 for a burst that nobody joins; that one runs
 * one by one unless a batch gains more than an eighth. docs/scheduling.md derives it.
 */
export function sizeForAnswers(
  cost: CostModel,
  { queued, limit, volume, isAlone, waiting, ratePerMs }: Backlog,
): number {
  if (limit <= 1 || !cost.isKnown) return limit;
  const bestMsPerRow = leastMsPerRow(cost, limit, volume);
  // Runs that take no time that a clock can tell say nothing of sizes.
  if (bestMsPerRow === 0) return limit;
  const load = Math.min(MAX_LOAD, ratePerMs * bestMsPerRow);
  const delayWeight = isAlone ? 0 : Math.max(waiting, load / (1 - load));
  const answerMs = (size: number): number => {
    const runs = Math.ceil(queued / size);
    const runMs = cost.predict(size, volume);
    const wastedMs = Math.max(0, runMs - size * bestMsPerRow);
    return ((runs + 1) / 2) * (runMs + delayWeight * wastedMs);
  };
  const sizes = evenSizes(cost, queued, limit);
  const times = sizes.map(answerMs);
  const least = Math.min(...times);
  return isAlone && times[0]! <= (1 + EARNED_SHARE) * least ? sizes[0]! : sizes[times.indexOf(least)]!;
}

/**
 * The size of run with the best rate: the largest of those that are equal but for noise, since what is left behind waits for a
 * whole run; or 1 if that is one of them.
 */
export function sizeForRate(cost: CostModel, queued: number, limit: number, volume: number): number {
  if (limit <= 1 || !cost.isKnown) return limit;
  const sizes = cost.sizesUpTo(limit);
  const msPerRow = sizes.map((size) => cost.predict(size, volume) / size);
  const least = Math.min(...msPerRow);
  if (least === 0) return limit;
  const isEqual = (ms: number) => ms <= (1 + NOISE) * least;
  const smallest = sizes[msPerRow.findIndex(isEqual)]!;
  return smallest === 1 ? 1 : Math.max(smallest, evenPart(queued, sizes[msPerRow.findLastIndex(isEqual)]!));
}

function leastMsPerRow(cost: CostModel, limit: number, volume: number): number {
  return Math.min(...cost.sizesUpTo(limit).map((size) => cost.predict(size, volume) / size));
}

/** The sizes up to `limit` that serve a queue in even runs, ascending. */
function evenSizes(cost: CostModel, queued: number, limit: number): number[] {
  return [...new Set(cost.sizesUpTo(limit).map((size) => Math.min(limit, evenPart(queued, size))))];
}

/** Runs of at most `size`, as few and as even as they can be: an uneven rest would wait for a run of its own. */
function evenPart(queued: number, size: number): number {
  return Math.ceil(queued / Math.ceil(queued / size));
}

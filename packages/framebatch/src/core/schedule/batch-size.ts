import type { CostModel } from "../cost/cost-model.js";

/** Rates that differ by at most this share are equal, because the measured times are no more accurate. */
const NOISE = 0.01;

/** In a closed loop, batching must raise the rate by more than this share, beyond the error of the time of one request. */
const EARNED_RATE = 0.05;

/**
 * In a lone burst, batching must shorten the mean time to an answer, and the time per request, by more than this share,
 * beyond the error of the measured time of one request. Otherwise requests run one by one.
 */
const EARNED_SHARE = 1 / 8;

/** Maximum load in the formula. No engine sustains a higher one for long. */
const MAX_LOAD = 0.98;

/** A queue to serve in runs of one size. */
export interface Backlog {
  /** Number of queued requests that may run together, at least 1. */
  readonly queued: number;
  /** Maximum number of requests in one run. */
  readonly limit: number;
  readonly volume: number;
  /** The part of a run's time that overlaps with the run before it, in milliseconds. */
  readonly hiddenMs: number;
  /** Whether all queued requests came in one burst, and no other request is expected before the queue is served. */
  readonly isAlone: boolean;
  /** Number of all queued requests, including those that cannot run with these. */
  readonly waiting: number;
  /** Recent arrival rate, in requests per millisecond. */
  readonly ratePerMs: number;
}

/**
 * Returns the run size that serves a queue with the least mean time to an answer.
 *
 * Of the time of a run of k rows, h overlaps with the run before it, and e(k) does not. In m runs, an answer takes
 * h + (m + 1) / 2 * e(k) on average: the economic lot size (Harris 1913), in whole runs. Requests that arrive meanwhile,
 * and those after them, wait for the device time w(k) that a run takes beyond k rows at the best rate. The total is
 * h + (m + 1) / 2 * (e(k) + d w(k)).
 *
 * The weight d is the number of queued requests, or the length of a queue at this load (M/M/1), whichever is larger.
 * For a lone burst, d is the number of its requests that cannot run with these. They run one by one unless batching
 * gains more than an eighth and the error of the measured times, of the mean time to an answer and of the time per
 * request.
 * docs/scheduling.md derives the formula.
 */
export function sizeForAnswers(
  cost: CostModel,
  { queued, limit, volume, hiddenMs, isAlone, waiting, ratePerMs }: Backlog,
): number {
  if (limit <= 1 || !cost.isKnown) return limit;
  const engineMs = (size: number): number => engineTime(cost.predict(size, volume), hiddenMs);
  const bestMsPerRow = Math.min(...cost.sizesUpTo(limit).map((size) => engineMs(size) / size));
  // Run times below the clock's resolution do not distinguish sizes.
  if (bestMsPerRow === 0) return limit;
  const load = Math.min(MAX_LOAD, ratePerMs * bestMsPerRow);
  const earned = 1 + EARNED_SHARE + cost.relativeError(1, volume);
  if (isAlone && engineMs(1) <= earned * bestMsPerRow) return 1;
  const delayWeight = isAlone ? waiting - queued : Math.max(waiting, load / (1 - load));
  const answerMs = (size: number): number => {
    const runs = Math.ceil(queued / size);
    const wastedMs = Math.max(0, engineMs(size) - size * bestMsPerRow);
    return hiddenMs + ((runs + 1) / 2) * (engineMs(size) + delayWeight * wastedMs);
  };
  const sizes = evenSizes(cost, queued, limit);
  const times = sizes.map(answerMs);
  const least = Math.min(...times);
  return isAlone && times[0]! <= earned * least ? sizes[0]! : sizes[times.indexOf(least)]!;
}

/**
 * Returns the run size with the best rate, or 1 if batching does not earn its size. Of sizes whose rates are equal within
 * noise, it returns the largest, because requests that do not fit wait for a whole run.
 */
export function sizeForRate(
  cost: CostModel,
  { queued, limit, volume, hiddenMs }: Pick<Backlog, "queued" | "limit" | "volume" | "hiddenMs">,
): number {
  if (limit <= 1 || !cost.isKnown) return limit;
  const sizes = cost.sizesUpTo(limit);
  const msPerRow = sizes.map((size) => engineTime(cost.predict(size, volume), hiddenMs) / size);
  const least = Math.min(...msPerRow);
  if (least === 0) return limit;
  const earned = 1 + EARNED_RATE + cost.relativeError(1, volume);
  if (sizes[0] === 1 && msPerRow[0]! <= earned * least) return 1;
  const isEqual = (ms: number) => ms <= (1 + NOISE) * least;
  const smallest = sizes[msPerRow.findIndex(isEqual)]!;
  return Math.max(smallest, evenPart(queued, sizes[msPerRow.findLastIndex(isEqual)]!));
}

/**
 * Returns the part of a run's time that does not overlap with the run before it. It is at least half, because the
 * overhead is measured over runs of all sizes, and that of small ones is smaller.
 */
function engineTime(runMs: number, hiddenMs: number): number {
  return Math.max(runMs / 2, runMs - hiddenMs);
}

/** The sizes up to `limit` that divide a queue into even runs, ascending. */
function evenSizes(cost: CostModel, queued: number, limit: number): number[] {
  return [...new Set(cost.sizesUpTo(limit).map((size) => Math.min(limit, evenPart(queued, size))))];
}

/**
 * Size of the runs when `queued` rows are divided into as few and as even runs of at most `size` as possible. With
 * uneven runs, a small remainder would wait for a run of its own.
 */
function evenPart(queued: number, size: number): number {
  return Math.ceil(queued / Math.ceil(queued / size));
}

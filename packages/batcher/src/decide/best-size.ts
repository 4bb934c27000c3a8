import type { RunTimes } from "./situation.js";

/** Rates that differ by at most this share are equal, because the measured times are no more accurate. */
const NOISE = 0.01;

/**
 * With an endless demand, batching must raise the rate by more than this share, beyond the error of the time of one
 * request.
 */
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
}

/** The requests that wait for the device besides those of a run. */
export interface Demand {
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
 * Of the time of a run of k rows, h overlaps with the run before it, and e(k) does not. In m runs, an answer takes h +
 * (m + 1) / 2 * e(k) on average: the economic lot size (Harris 1913), in whole runs. Requests that arrive meanwhile,
 * and those after them, wait for the device time w(k) that a run takes beyond k rows at the best rate. The total is h +
 * (m + 1) / 2 * (e(k) + d w(k)).
 *
 * The weight d is the number of queued requests, or the length of a queue at this load (M/M/1), whichever is larger.
 * For a lone burst, d is the number of its requests that cannot run with these. Where the rate alone counts, as in a
 * closed loop, the demand is endless: d is infinite, and only sizes with w(k) = 0 remain.
 *
 * A lone burst, or an endless demand, runs one by one unless batching earns its size. docs/scheduling.md derives the
 * formula.
 */
export function bestSize(times: RunTimes, backlog: Backlog, demand: Demand | "endless"): number {
  const { limit, volume, hiddenMs } = backlog;
  if (limit <= 1 || !times.isKnown) return limit;
  const engineMs = (size: number): number => engineTime(times.predict(size, volume), hiddenMs);
  const sizes = times.sizesUpTo(limit);
  const msPerRow = sizes.map((size) => engineMs(size) / size);
  const best = Math.min(...msPerRow);
  // Run times below the clock's resolution do not distinguish sizes.
  if (best === 0) return limit;
  const isEndless = demand === "endless";
  const share = isEndless ? EARNED_RATE : EARNED_SHARE;
  const earned = isEndless || demand.isAlone ? 1 + share + times.relativeError(1, volume) : 0;
  if (engineMs(1) <= earned * best) return 1;
  return isEndless
    ? largestOfBest(sizes, msPerRow, best, backlog.queued)
    : soonestSize(sizes, backlog, engineMs, { best, demand, earned });
}

/** Returns the run size with the best rate, of those up to `limit`. */
export function bestRateSize(times: RunTimes, limit: number, volume: number, hiddenMs: number): number {
  return bestSize(times, { queued: limit, limit, volume, hiddenMs }, "endless");
}

interface Weights {
  /** Milliseconds per row at the best rate. */
  readonly best: number;
  readonly demand: Demand;
  /** How many times longer an answer may take in the smallest runs before a larger size is chosen. */
  readonly earned: number;
}

/** The size of even runs with the least mean time to an answer. */
function soonestSize(
  sizes: readonly number[],
  { queued, limit, hiddenMs }: Backlog,
  engineMs: (size: number) => number,
  { best, demand: { isAlone, waiting, ratePerMs }, earned }: Weights,
): number {
  const load = Math.min(MAX_LOAD, ratePerMs * best);
  const delayWeight = isAlone ? waiting - queued : Math.max(waiting, load / (1 - load));
  const answerMs = (size: number): number => {
    const runs = Math.ceil(queued / size);
    const wastedMs = Math.max(0, engineMs(size) - size * best);
    return hiddenMs + ((runs + 1) / 2) * (engineMs(size) + delayWeight * wastedMs);
  };
  const even = [...new Set(sizes.map((size) => Math.min(limit, evenPart(queued, size))))];
  const times = even.map(answerMs);
  const least = Math.min(...times);
  return even[times.findIndex((ms, index) => ms === least || (index === 0 && ms <= earned * least))]!;
}

/**
 * Of the sizes whose rates equal the best one within noise, the largest, in even runs: requests that do not fit wait
 * for a whole run.
 */
function largestOfBest(sizes: readonly number[], msPerRow: readonly number[], best: number, queued: number): number {
  const isEqual = (ms: number) => ms <= (1 + NOISE) * best;
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

/**
 * Size of the runs when `queued` rows are divided into as few and as even runs of at most `size` as possible. With
 * uneven runs, a small remainder would wait for a run of its own.
 */
function evenPart(queued: number, size: number): number {
  return Math.ceil(queued / Math.ceil(queued / size));
}

/**
 * Returns the largest size up to `limit` that fits, by bisection, or 0 if 1 does not fit. Requires that every size
 * below a size that fits also fits.
 */
export function largestWithin(limit: number, fits: (size: number) => boolean): number {
  let [most, tooMany] = [0, limit + 1];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}

import type { FrameGrid } from "@framebatch/host/clock.js";
import { bestRateSize } from "./best-size.js";

/**
 * All facts that a decision follows from, as they are at one moment. Plain data: two equal situations have the same
 * decision. Times are on the batcher's clock, in milliseconds.
 */
export interface Situation {
  readonly nowMs: number;
  readonly times: RunTimes;

  /** The request around which the next batch is formed. */
  readonly leader: Leader;
  /** Whether it is a background request. */
  readonly isBackground: boolean;
  /** Whether it came in a burst that no other request is expected to join. */
  readonly isBurstAlone: boolean;

  /** Number of queued requests that may run together in the next batch, at least 1. */
  readonly size: number;
  /** The number at which the batch is full: no other request, of whatever priority, could join it. */
  readonly fullSize: number;
  /** Maximum number with which a run serves most requests within the latency objective, or may be found to. */
  readonly timelySize: number;
  /** Volume of a row. */
  readonly volume: number;
  /** When the engine may take the batch, without too much background work at once. */
  readonly mayStartAtMs: number;

  /** Number of all queued rows, and of those that are not background requests. */
  readonly queued: number;
  readonly urgent: number;
  /** When the window of the oldest request closes. */
  readonly windowClosesAtMs: number;
  /** Whether there is a latency objective, and when the newest request misses it. */
  readonly hasObjective: boolean;
  readonly newestObjectiveAtMs: number;
  /** Whether the page has asked for all that is queued now. */
  readonly isFlushed: boolean;

  /** Number of batches that the engine runs at once. */
  readonly engines: number;
  /** Number of batches in flight, and of their rows. */
  readonly batchesRunning: number;
  readonly rowsRunning: number;
  /** When the engine would start a batch: now, or the predicted end of its current work. */
  readonly freeAtMs: number;
  /** When a run takes so much longer than predicted that no batch may wait for its answer alone. */
  readonly overdueAtMs: number;
  /** Time of a run outside inference, and the part of it that overlaps with another run. */
  readonly overheadMs: number;
  readonly hiddenMs: number;
  /** How long before the engine is free the next batch is dispatched: the time of a message. */
  readonly handoverMs: number;

  /** Recent rate of arrivals, in requests per millisecond. */
  readonly ratePerMs: number;
  /** Whether nearly all requests come from callers that have just been answered, so that no other is expected. */
  readonly isClosedLoop: boolean;
  /** Whether all callers answered last have enqueued again. */
  readonly haveReturned: boolean;
  /** Time that the page takes per caller to handle a result and enqueue again. */
  readonly msPerReturn: number;

  /** Whether the tab is hidden. Its timers then fire late. */
  readonly isHidden: boolean;
  /**
   * When frames paint; `null` if no wait for one is possible: none paint, no run time is known, or all callers wait for
   * answers.
   */
  readonly grid: FrameGrid | null;
  /** How long before its frame a batch must be ready. */
  readonly frameMarginMs: number;
  /** The frame that the wait in progress aims at; `null` if no wait is in progress. */
  readonly targetFrameMs: number | null;
  /** Whether enough requests join during a wait that costs no visible latency. */
  readonly doesWaitPayOff: boolean;
}

interface Leader {
  /** When it should have its answer. */
  readonly dueMs: number;
  /** When it times out, or misses its latency objective; `Infinity` if it has neither. */
  readonly deadlineMs: number;
  /** When it misses its latency objective; `Infinity` without one. */
  readonly objectiveAtMs: number;
}

/** The learned times of runs, as a table. A size counts requests, a volume is that of one row. */
export interface RunTimes {
  /** Whether any time is known. Until then, every prediction is 0. */
  readonly isKnown: boolean;
  /** The fixed time of a run, in milliseconds. */
  readonly line: { readonly fixedMs: number };
  /** Predicted time of a run, in milliseconds. */
  predict(size: number, volume: number): number;
  /** Lower estimate of that time while it is not known what a row costs. */
  shortest(size: number, volume: number): number;
  /** Typical distance of the time of a run from its prediction, in milliseconds. */
  deviation(size: number, volume: number): number;
  /** Typical error of the prediction, as a share of it. */
  relativeError(size: number, volume: number): number;
  /**
   * The size to run instead of `best`, of those up to `limit`, so that a time is measured again that speaks for `best`
   * and would never be corrected otherwise; `best` if there is none.
   */
  probe(best: number, limit: number, volume: number): number;
  /** The sizes up to `limit` that are worth comparing, ascending. */
  sizesUpTo(limit: number): readonly number[];
}

/**
 * Whether the batch is a complete round of a closed loop: all callers answered last have enqueued again, and the batch
 * holds the whole queue. No other request arrives before a batch ends.
 */
export function isRound({ isClosedLoop, haveReturned, queued, size, times }: Situation): boolean {
  return isClosedLoop && haveReturned && queued === size && times.isKnown;
}

/**
 * Whether two alternating runs finish sooner than one combined run. While one runs, the messages of the other are in
 * transit, and its callers handle their results and enqueue again: a cycle takes the two runs without what is hidden. A
 * combined run is followed by the work of all callers. On the other hand, the fixed cost of a run is paid twice.
 */
export function areTurnsBetter(first: number, second: number, situation: Situation): boolean {
  const { msPerReturn, hiddenMs, times, volume } = situation;
  const all = first + second;
  const savedMs = 2 * hiddenMs + all * msPerReturn;
  return times.predict(first, volume) + times.predict(second, volume) - times.predict(all, volume) <= savedMs;
}

/**
 * When the batch must be dispatched so that the engine does not wait for it. In a round, now: no other request can
 * arrive before a batch ends, and dispatching now is more punctual than any timer. But if one combined run is better
 * than alternating runs, the batch waits for the running one to end, so that it can merge with its callers, until that
 * run is overdue.
 */
export function formAtMs(situation: Situation): number {
  const { nowMs, leader, size, freeAtMs, batchesRunning } = situation;
  if (!isRound(situation)) return freeAtMs - situation.handoverMs;
  if (batchesRunning < situation.engines || freeAtMs > leader.dueMs) return nowMs;
  const others = Math.round(situation.rowsRunning / batchesRunning);
  const isOneRunBest = sizeForRate(size + others, situation) === size + others;
  return isOneRunBest && !areTurnsBetter(others, size, situation) ? situation.overdueAtMs : nowMs;
}

/** Whether enough requests are queued for the size with the best rate. */
export function isFull(situation: Situation): boolean {
  return situation.size >= sizeForRate(Infinity, situation);
}

/** The size with the best rate, of those up to `available`. */
function sizeForRate(available: number, { times, timelySize, volume, hiddenMs }: Situation): number {
  return bestRateSize(times, Math.min(available, timelySize), volume, hiddenMs);
}

/** Whether other requests, of no lower priority, are queued that cannot run with these. */
export function doOthersWait({ isBackground, queued, urgent, size }: Situation): boolean {
  return (isBackground ? queued : urgent) > size;
}

/** The latest start that meets the leader's timeout and latency objective; `Infinity` if it has neither. */
export function mustStartByMs({ leader, size, volume, times }: Situation): number {
  return leader.deadlineMs - times.predict(size, volume);
}

/** The time to spare for errors of the prediction, and for answers that come late because the page is busy. */
export function marginMs({ size, volume, times, frameMarginMs }: Situation): number {
  return 2 * times.deviation(size, volume) + frameMarginMs;
}

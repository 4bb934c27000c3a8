import { largestWithin } from "./largest-within.js";
import { bestSize } from "./best-size.js";
import { areTurnsBetter, isRound } from "./rounds.js";
import type { Situation } from "./situation.js";

/** How much faster a single run can turn out to be than when it was measured last. */
const SINGLE_GAIN = 2;

/**
 * Number of the queued requests to dispatch now. Measures two times again that would otherwise never be corrected: that
 * of a single request, because a batch pays compared with it, and a forgotten time of twice the number, because once
 * all larger sizes seem too slow, nothing shows that one pays.
 */
export function sizeOf(situation: Situation): number {
  const { times, timelySize, volume } = situation;
  const limit = Math.min(situation.size, shareOf(situation), timelySize);
  const size = sizeUpTo(limit, situation);
  if (isInDoubt(size, situation)) return 1;
  const twice = Math.min(2 * size, limit);
  return twice > size && times.isForgotten(twice, volume) ? twice : size;
}

/**
 * The largest number of rows, up to `size`, with which the leader meets its latency objective. Returns 0, so that the
 * leader is shed, if even one row is too late. Also returns 0 if the newest request would meet its own objective in
 * the whole batch, because shrinking the batch for one leader after another makes every request late.
 */
export function sizeInTime(size: number, situation: Situation): number {
  const { objectiveAtMs } = situation.leader;
  if (objectiveAtMs === Infinity || situation.isBackground || !situation.times.isKnown) return size;
  const wholeEndMs = endMs(size, situation);
  if (wholeEndMs <= objectiveAtMs) return size;
  if (situation.newestObjectiveAtMs >= wholeEndMs) return 0;
  return largestWithin(size, (rows) => endMs(rows, situation) <= objectiveAtMs);
}

/** Predicted end of a batch of `size` rows that is dispatched now. */
export function endMs(size: number, { freeAtMs, times, volume }: Situation): number {
  return freeAtMs + times.predict(size, volume);
}

/**
 * The number of requests, up to `limit`, that minimises the time to their answers. Returning callers compete with
 * requests that remain in the queue. With a latency objective, the rate decides how many requests meet it. Both cases
 * need the best rate.
 */
function sizeUpTo(limit: number, situation: Situation): number {
  const { times, volume, hiddenMs, isBurstAlone: isAlone, queued: waiting, ratePerMs } = situation;
  const backlog = { queued: situation.size, limit, volume, hiddenMs };
  if ((!isAlone && situation.isClosedLoop) || situation.hasObjective)
    return Math.min(turnOf(situation), bestSize(times, backlog, "endless"));
  return bestSize(times, backlog, { isAlone, waiting, ratePerMs });
}

/** Whether a batch would not pay if a single request took half as long as when it was measured. */
function isInDoubt(size: number, { times, volume }: Situation): boolean {
  if (size === 1 || !times.isKnown || times.isSingleKnown) return false;
  return times.predict(1, volume) / SINGLE_GAIN < times.predict(size, volume) / size;
}

/**
 * Each engine's equal share of the queued and the running requests. One engine takes them all if dividing them saves
 * less time than the messages of a run take.
 */
function shareOf({ size, rowsRunning, engines, overheadMs, times, volume }: Situation): number {
  const all = size + rowsRunning;
  const share = Math.ceil(all / engines);
  if (share === all || !times.isKnown) return share;
  const savedMs = times.predict(all, volume) - times.predict(share, volume);
  return savedMs > overheadMs ? share : all;
}

/** Outside a round, the whole batch. In a round, an engine's share, or half of it if alternating runs are better. */
function turnOf(situation: Situation): number {
  if (!isRound(situation)) return situation.size;
  const share = shareOf(situation);
  const half = Math.ceil(share / 2);
  return share > 1 && areTurnsBetter(half, share - half, situation) ? half : share;
}

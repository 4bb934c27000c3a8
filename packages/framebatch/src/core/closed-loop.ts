import type { Situation } from "./situation.js";

/**
 * In a closed loop, those who may still come are in the batches that run. To wait for a batch of them makes one run of two, and
 * mends a loop that has fallen apart into several batches, which would take turns for ever.
 */
export function isBetterTogether(situation: Situation): boolean {
  const { running, engines, queued, freeAtMs, mustStartByMs } = situation;
  if (!isRound(situation) || running.batches < engines || freeAtMs > mustStartByMs) return false;
  const runningSize = Math.round(running.rows / running.batches);
  if (situation.bestSize(runningSize + queued) < runningSize + queued) return false;
  return situation.isWholeDue || !isHidingWorthwhile(situation, runningSize, queued);
}

/**
 * How many of the queue leave now: an equal share of the callers for each engine; or half of that, so that while the engine runs
 * one half the other has time to ask again.
 */
export function shareOfLoop(situation: Situation): number {
  const { queued, running, engines, isWholeDue } = situation;
  if (!isRound(situation)) return queued;
  const share = Math.ceil((queued + running.rows) / engines);
  const half = Math.ceil(share / 2);
  const isHalved = !isWholeDue && share > 1 && isHidingWorthwhile(situation, half, share - half);
  return Math.min(queued, isHalved ? half : share);
}

/** Whether there is nobody but the callers that the loop consists of, they can all ride together, and something is known of run times. */
export function isRound({ isClosedLoop, haveReturned, othersWait, predictMs }: Situation): boolean {
  return isClosedLoop && haveReturned && !othersWait && predictMs !== null;
}

/** What is hidden counts for more than it takes, so that callers who take turns do not go back and forth for a near tie. */
const WORTH_OF_HIDING = 1.25;

/**
 * Whether two runs that take turns are done sooner than one of both: while the one runs, the messages of the other are on their
 * way, and its callers hear and ask again; but the fixed part of the inference is paid twice.
 */
function isHidingWorthwhile({ predictMs, overheadMs, msPerReturn }: Situation, first: number, second: number): boolean {
  if (predictMs === null) return false;
  const all = first + second;
  const hiddenMs = 2 * overheadMs + all * msPerReturn;
  return predictMs(first) + predictMs(second) <= predictMs(all) + WORTH_OF_HIDING * hiddenMs;
}

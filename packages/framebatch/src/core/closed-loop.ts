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

/** Whether there is nobody but the callers that the loop consists of, and something is known of run times. */
function isRound({ isClosedLoop, haveReturned, predictMs }: Situation): boolean {
  return isClosedLoop && haveReturned && predictMs !== null;
}

/** Callers take turns unless one run of all gains more than this share: going back and forth between the two costs as much. */
const WORTH_MERGING = 0.1;

/**
 * Whether two runs that take turns are done sooner than one of both: while the one runs, the messages of the other are on their
 * way, and its callers hear and ask again; but the fixed part of the inference is paid twice.
 */
function isHidingWorthwhile({ predictMs, overheadMs, msPerReturn }: Situation, first: number, second: number): boolean {
  if (predictMs === null) return false;
  const all = first + second;
  const togetherMs = predictMs(all) + all * msPerReturn;
  return predictMs(first) + predictMs(second) - 2 * overheadMs <= (1 + WORTH_MERGING) * togetherMs;
}

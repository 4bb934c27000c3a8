import type { Rule } from "./release-rules.js";
import { areTurnsBetter, isRound, type Situation } from "./situation.js";
import { bestSize, type Demand, largestWithin } from "./best-size.js";

/**
 * Why a batch was dispatched:
 * - `full`: as many requests were queued as a batch should hold.
 * - `idle`: the engine was free, and there was no reason to wait.
 * - `frame`: waiting longer would have missed the next paint.
 * - `window`: the oldest request had waited for `maxQueueDelayMs`.
 * - `flush`: the caller called `flush`.
 * - `unbatched`: batching is off.
 * - `retry`: a part of a failed batch ran again, to find the request that fails.
 */
export type ReleaseReason = "full" | "idle" | "frame" | "window" | "flush" | "unbatched" | "retry";

/** Timers fire up to this much late, in milliseconds. */
export const TIMER_LATENESS_MS = 4;

/** A shorter wait is not worth a timer, in milliseconds. */
export const MIN_WAIT_MS = 0.05;

/** A wait for more requests that costs no visible latency: its end, and the frame that then paints the batch. */
export interface FreeWait {
  readonly untilMs: number;
  readonly frameMs: number;
}

/** Look again at `untilMs`, or on the next event: a request arrives or is withdrawn, or a batch ends. */
export interface Wait {
  readonly action: "wait";
  readonly untilMs: number;
  /** The free wait that this is; `null` if the wait is for the engine. */
  readonly free: FreeWait | null;
}

/** What a release rule says of a batch that need not wait any longer. */
export interface Release {
  readonly action: "release";
  readonly reason: ReleaseReason;
  /** Whether to dispatch all requests together; otherwise the objective chooses how many. */
  readonly isWhole: boolean;
  /** The free wait that is not taken, because it does not pay off; `null` if there is none. */
  readonly free: FreeWait | null;
}

/** Dispatch a batch of `size` rows now. */
export interface Dispatch {
  readonly action: "dispatch";
  readonly size: number;
  readonly reason: ReleaseReason;
  /** See `Release`. */
  readonly free: FreeWait | null;
}

/** Reject the leader, which misses its latency objective: its answer is predicted at `endMs`. */
interface Shed {
  readonly action: "shed";
  readonly endMs: number;
  /** See `Release`. */
  readonly free: FreeWait | null;
}

export type Decision = Dispatch | Shed | Wait;

export function waitUntil(untilMs: number, free: FreeWait | null = null): Wait {
  return { action: "wait", untilMs, free };
}

export function release(reason: ReleaseReason, isWhole = false, free: FreeWait | null = null): Release {
  return { action: "release", reason, isWhole, free };
}

/**
 * Decides what happens to the next batch: it is dispatched with a size and a reason, it waits, or its leader is shed.
 * Nothing else decides any of these. Has no state and reads no clock.
 */
export function decide(situation: Situation, { timing: timingOf, waitsFor }: Rule): Decision {
  const { nowMs, mayStartAtMs, isFlushed } = situation;
  if (mayStartAtMs > nowMs) return waitUntil(mayStartAtMs);
  const timing = isFlushed ? release("flush", waitsFor === "requests") : timingOf(situation);
  return timing.action === "wait" ? timing : dispatchOrShed(timing, situation);
}

function dispatchOrShed({ reason, isWhole, free }: Release, situation: Situation): Decision {
  const { size: queued, fullSize } = situation;
  const wanted = isWhole ? queued : sizeOf(situation);
  const size = sizeInTime(wanted, situation);
  if (size === 0) return { action: "shed", endMs: endMs(wanted, situation), free };
  const isFull = reason === "idle" && (wanted < queued || queued >= fullSize);
  return { action: "dispatch", size, reason: isFull ? "full" : reason, free };
}

/** Number of the queued requests to dispatch now, which is the best one unless a time is to be measured again. */
function sizeOf(situation: Situation): number {
  const { size, times, timelySize, volume, hiddenMs } = situation;
  const share = shareOf(situation);
  const limit = Math.min(size, timelySize, share);
  const best = bestSize(times, { queued: size, limit, volume, hiddenMs }, demandOf(situation));
  return times.probe(Math.min(turnOf(share, situation), best), limit, volume);
}

/**
 * The largest number of rows, up to `size`, with which the leader meets its latency objective. Returns 0, so that the
 * leader is shed, if even one row is too late. Behind other batches, also returns 0 if the newest request would meet
 * its own objective in the whole batch, because shrinking the batch for one leader after another makes every request
 * late. If an engine is free, only a wait for other requests has made the leader late, so that those run after it.
 */
function sizeInTime(size: number, situation: Situation): number {
  const { objectiveAtMs } = situation.leader;
  if (objectiveAtMs === Infinity || situation.isBackground || !situation.times.isKnown) return size;
  const wholeEndMs = endMs(size, situation);
  if (wholeEndMs <= objectiveAtMs) return size;
  const isBehind = situation.batchesRunning >= situation.engines;
  if (isBehind && situation.newestObjectiveAtMs >= wholeEndMs) return 0;
  return largestWithin(size, (rows) => endMs(rows, situation) <= objectiveAtMs);
}

/** Predicted end of a batch of `size` rows that is dispatched now. A size that has not run is given a try. */
function endMs(size: number, { freeAtMs, times, volume }: Situation): number {
  return freeAtMs + times.shortest(size, volume);
}

/**
 * Returning callers compete with requests that remain in the queue. With a latency objective, the rate decides how many
 * requests meet it. In both cases the rate alone counts.
 */
function demandOf({ isBurstAlone, isClosedLoop, hasObjective, queued, ratePerMs }: Situation): Demand | "endless" {
  if ((isClosedLoop && !isBurstAlone) || hasObjective) return "endless";
  return { isAlone: isBurstAlone, waiting: queued, ratePerMs };
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

/** In a round of a closed loop, half of an engine's share if alternating runs are better; otherwise the whole share. */
function turnOf(share: number, situation: Situation): number {
  if (!isRound(situation)) return share;
  const half = Math.ceil(share / 2);
  return share > 1 && areTurnsBetter(half, share - half, situation) ? half : share;
}

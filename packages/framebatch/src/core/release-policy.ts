import { frameAtOrAfter, type FrameGrid } from "./clock.js";
import { isBetterTogether, isRound, shareOfLoop } from "./closed-loop.js";
import type { ReleaseReason } from "./engine.js";
import type { Situation } from "./situation.js";

/** The rules that decide when a batch leaves. */
export type ReleaseRule = "frame" | "idle" | "window";

export interface Dispatch {
  readonly action: "dispatch";
  readonly size: number;
  readonly reason: ReleaseReason;
  /** Waiting would have been free, but has not paid of late. */
  readonly forwentWait: boolean;
  /** Device time that this batch costs beyond what waiting for the next paint would have cost, in milliseconds. */
  readonly extraMs: number;
}

/** Look again at `untilMs`, or when something happens: a request comes or goes, a batch ends. */
export interface Wait {
  readonly action: "wait";
  readonly untilMs: number;
  /** The frame that the queue is to be painted in, where the wait is for others to join; `null` where it is for the engine. */
  readonly aimMs: number | null;
}

export type Decision = Dispatch | Wait;

const UNTIL_SOMETHING_HAPPENS: Wait = { action: "wait", untilMs: Infinity, aimMs: null };

/** Timers are late by some milliseconds; for a run that ends sooner than this, its answer is the better alarm. */
const SHORTEST_TIMER_MS = 4;

/** The pure decision of each rule. In a hidden tab, where timers are throttled, all decide as `idle`. */
export const RELEASE_RULES: Readonly<Record<ReleaseRule, (situation: Situation) => Decision>> = {
  frame: decideFrame,
  idle: decideIdle,
  window: decideWindow,
};

/** Never waits while the engine is free; while it is busy, forms the next batch just in time. */
function decideIdle(situation: Situation): Decision {
  return waitForEngine(situation) ?? take(situation, "idle");
}

/**
 * Paint-deadline batching: waits while waiting is free, since nobody sees a result before the frame that paints it. A
 * batch of n that starts at s shows at the first frame f at or after s + t(n) + margin; one more request can join and
 * still make f until f - t(n + 1) - margin, its latest start. Whoever comes after that is painted a frame later. So a
 * run may be spent on leaving a little sooner, with time for one more small batch before f; what such runs cost is
 * rationed by `allowanceMs`.
 */
function decideFrame(situation: Situation): Decision {
  const waiting = waitForEngine(situation);
  if (waiting !== null) return waiting;
  const { grid, predictMs } = situation;
  if (grid === null || predictMs === null || isNoTimeToWait(situation, grid, predictMs)) return take(situation, "idle");
  const aimMs = Math.min(situation.aimMs ?? Infinity, firstPaintMs(situation, grid, predictMs));
  return decideBeforePaint(situation, aimMs, predictMs);
}

type Predict = (size: number) => number;

/** The engine counts as busy when what comes in one frame takes it more than this share of a frame, even as one batch. */
const BUSY_SHARE = 0.9;

/** A full batch has nobody to wait for; others who cannot ride with it wait behind it; a busy engine has no time to lose. */
function isNoTimeToWait(
  { queued, maxBatchSize, othersWait, ratePerMs }: Situation,
  grid: FrameGrid,
  predictMs: Predict,
): boolean {
  if (othersWait || queued >= maxBatchSize) return true;
  const perFrame = Math.min(maxBatchSize, Math.max(1, Math.round(ratePerMs * grid.periodMs)));
  return predictMs(perFrame) > BUSY_SHARE * grid.periodMs;
}

/**
 * The first frame that may show what is queued: without a margin, since to try and miss it is no worse than to pass it up.
 * A wait keeps to its aim, come who may, and only ever aims sooner: aiming later anew would put it off for ever.
 */
function firstPaintMs({ nowMs, freeAtMs, queued }: Situation, grid: FrameGrid, predictMs: Predict): number {
  return frameAtOrAfter(grid, Math.max(nowMs, freeAtMs) + predictMs(queued));
}

/** Shorter waits than this are not worth a timer, in milliseconds. */
const LEAST_WAIT_MS = 0.05;

function decideBeforePaint(situation: Situation, aimMs: number, predictMs: Predict): Decision {
  const { nowMs, queued, patience } = situation;
  const oneMore = Math.min(queued + 1, situation.maxBatchSize);
  const longestMs = Math.max(predictMs(queued), predictMs(oneMore));
  const latestMs = Math.min(aimMs - longestMs - situation.marginMs, situation.mustStartByMs);
  const reason = situation.aimMs === null ? "idle" : "frame";
  if (latestMs - nowMs <= LEAST_WAIT_MS) return take(situation, reason);
  const split = planSplit(situation, latestMs, predictMs);
  if (split.isCheap) return take(situation, "idle");
  if (split.isAllowed && Math.abs(nowMs - split.atMs) <= split.toleranceMs)
    return { ...take(situation, reason), extraMs: situation.fixedMs };
  const untilMs = split.isAllowed && split.atMs > nowMs ? split.atMs : latestMs;
  const patientUntilMs = nowMs + (untilMs - nowMs) * patience;
  if (patientUntilMs - nowMs <= LEAST_WAIT_MS) return { ...take(situation, "idle"), forwentWait: true };
  return { action: "wait", untilMs: patientUntilMs, aimMs };
}

/** A second run costs next to nothing where its fixed cost is no more than this share of the first. */
const CHEAP_SHARE = 0.1;

interface Split {
  /** When to leave so that those who come during this run can still follow it in the same frame. */
  readonly atMs: number;
  readonly toleranceMs: number;
  readonly isCheap: boolean;
  readonly isAllowed: boolean;
}

/** Two runs instead of one before the paint: the second, small one leaves later than one run for all could. */
function planSplit(
  { queued, ratePerMs, fixedMs, allowanceMs }: Situation,
  latestMs: number,
  predictMs: Predict,
): Split {
  const runMs = predictMs(queued);
  const followers = Math.max(1, Math.round(ratePerMs * runMs));
  return {
    atMs: latestMs - predictMs(followers),
    toleranceMs: Math.max(LEAST_WAIT_MS, predictMs(queued + 1) - runMs),
    isCheap: fixedMs <= CHEAP_SHARE * runMs,
    isAllowed: fixedMs <= allowanceMs,
  };
}

/** `maxBatchSize` and `maxQueueDelayMs`, as server batchers have them. Counts from the oldest request, never restarts. */
function decideWindow(situation: Situation): Decision {
  const { queued, maxBatchSize, oldestAtMs, maxQueueDelayMs, nowMs } = situation;
  if (situation.isHidden) return decideIdle(situation);
  if (situation.freeSlots === 0) return UNTIL_SOMETHING_HAPPENS;
  if (queued >= maxBatchSize) return dispatch(maxBatchSize, "full");
  const closesAtMs = oldestAtMs + maxQueueDelayMs;
  if (nowMs >= closesAtMs) return dispatch(queued, "window");
  return { action: "wait", untilMs: closesAtMs, aimMs: null };
}

/** `null` when a batch should be formed now as far as the engine is concerned. */
function waitForEngine(situation: Situation): Decision | null {
  const { freeSlots, freeAtMs, handoverMs, nowMs, queued, othersWait } = situation;
  if (freeSlots === 0 || isBetterTogether(situation)) return UNTIL_SOMETHING_HAPPENS;
  // In a round nobody else can come before a batch ends, and no timer is as punctual as a batch that is there already.
  const formAtMs = isRound(situation) ? nowMs : freeAtMs - handoverMs;
  if (formAtMs <= nowMs) return null;
  if (formAtMs - nowMs > SHORTEST_TIMER_MS && !situation.isHidden)
    return { action: "wait", untilMs: formAtMs, aimMs: null };
  const isFull = queued >= situation.bestSize(situation.maxBatchSize);
  return isFull || othersWait ? null : UNTIL_SOMETHING_HAPPENS;
}

function take(situation: Situation, reason: ReleaseReason): Dispatch {
  const { queued, isClosedLoop } = situation;
  const best = situation.bestSize(queued);
  const isFull = best < queued || queued >= situation.sufficientSize();
  const size = isClosedLoop ? Math.min(best, shareOfLoop(situation)) : best < queued ? best : largerPart(situation);
  return dispatch(size, isFull ? "full" : reason);
}

/** A run is cut in two where its fixed cost is no more than this share of it. */
const CUT_SHARE = 0.05;

/**
 * Where the fixed cost is next to nothing, the larger part of the queue goes first and has its results sooner, and the
 * rest hardly later. Not in a closed loop, where those of the first part come back to compete with the second.
 */
function largerPart({ queued, fixedMs, predictMs, othersWait }: Situation): number {
  if (othersWait || predictMs === null || fixedMs > CUT_SHARE * predictMs(queued)) return queued;
  return queued === 2 ? 1 : Math.floor(queued / 2) + 1;
}

function dispatch(size: number, reason: ReleaseReason): Dispatch {
  return { action: "dispatch", size, reason, forwentWait: false, extraMs: 0 };
}

import { type Release, type Wait, release, TIMER_LATENESS_MS, waitUntil, MIN_WAIT_MS } from "./decide.js";
import { doOthersWait, formAtMs, isFull, marginMs, mustStartByMs, type Situation } from "./situation.js";
import { frameAtOrAfter, type FrameGrid } from "@framebatch/host/clock.js";

/** Never waits while the engine is free. While the engine is busy, forms the next batch just in time. */
function idle(situation: Situation): Release | Wait {
  return waitForEngine(situation) ?? release("idle");
}

/**
 * Returns `null` when the engine needs the next batch now; otherwise, how long to wait. Every wait ends, even if the
 * run that it is for never does.
 */
function waitForEngine(situation: Situation): Wait | null {
  const { nowMs, overdueAtMs, isHidden } = situation;
  const formMs = formAtMs(situation);
  if (formMs <= nowMs) return null;
  // If a run ends before a timer may fire, its answer is the more accurate wake-up.
  if (formMs - nowMs > TIMER_LATENESS_MS && !isHidden) return waitUntil(formMs);
  return overdueAtMs <= nowMs || isFull(situation) || doOthersWait(situation) ? null : waitUntil(overdueAtMs);
}

/**
 * The engine counts as busy when the requests of one frame, even as one batch, take more than this share of the frame.
 */
const BUSY_SHARE = 0.9;

/**
 * A second run is cheap if its fixed cost is at most this share of the first run's time, or this share of a frame,
 * which nobody feels. Batches then do not wait to save one: a wait keeps the caller's next request waiting too.
 */
const CHEAP_SHARE = { ofRun: 1 / 4, ofFrame: 1 / 20 };

/**
 * Paint-deadline batching: waits while waiting costs no visible latency, because a result is not visible before the
 * frame that paints it. A batch of n rows that starts at s is visible at the first frame f at or after s + t(n) +
 * margin. One more request can join and still make f until f - t(n + 1) - margin, the latest start.
 */
function frame(situation: Situation): Release | Wait {
  const waiting = waitForEngine(situation);
  if (waiting !== null) return waiting;
  const { grid } = situation;
  if (grid === null || doOthersWait(situation) || isFull(situation) || isEngineBusy(situation, grid))
    return release("idle");
  return beforePaint(situation, grid);
}

function beforePaint(situation: Situation, grid: FrameGrid): Release | Wait {
  const { nowMs, size, volume, times, targetFrameMs } = situation;
  const runMs = times.predict(size, volume);
  // The target frame leaves out the margin: trying for a frame and missing it is no worse than passing it up. The
  // target never moves to a later frame; otherwise a wait could be extended indefinitely.
  const frameMs = Math.min(targetFrameMs ?? Infinity, frameAtOrAfter(grid, situation.freeAtMs + runMs));
  const longestMs = Math.max(runMs, times.predict(size + 1, volume));
  const untilMs = Math.min(frameMs - longestMs - marginMs(situation), mustStartByMs(situation));
  if (untilMs - nowMs <= MIN_WAIT_MS) return targetFrameMs === null ? release("idle") : release("frame", true);
  const free = { untilMs, frameMs };
  const isCheap = times.line.fixedMs <= Math.max(CHEAP_SHARE.ofRun * runMs, CHEAP_SHARE.ofFrame * grid.periodMs);
  return situation.doesWaitPayOff && !isCheap ? waitUntil(untilMs, free) : release("idle", false, free);
}

function isEngineBusy({ ratePerMs, fullSize, volume, times }: Situation, { periodMs }: FrameGrid): boolean {
  const perFrame = Math.max(1, Math.round(ratePerMs * periodMs));
  return times.predict(Math.min(fullSize, perFrame), volume) > BUSY_SHARE * periodMs;
}

/**
 * Applies `maxBatchSize` and `maxQueueDelayMs`, as server batchers do. The window starts with the oldest request and
 * never restarts. It closes earlier if its leader would otherwise miss its timeout or its latency objective: a request
 * that the rule itself has made late would be dropped while the engine is free.
 */
function window(situation: Situation): Release | Wait {
  const { nowMs, size, fullSize, windowClosesAtMs } = situation;
  if (situation.isHidden) return idle(situation);
  if (size >= fullSize) return release("full", true);
  const latestMs = mustStartByMs(situation) - marginMs(situation) - TIMER_LATENESS_MS;
  const closesAtMs = Math.min(windowClosesAtMs, latestMs);
  return nowMs >= closesAtMs ? release("window", true) : waitUntil(closesAtMs);
}

/** A rule that decides when a batch is dispatched. */
export interface Rule {
  readonly timing: (situation: Situation) => Release | Wait;
  /**
   * What it may wait for while the engine is free. One that waits for requests applies sizes that the user has chosen: a request
   * alone waits too, and a flush dispatches all that fit. Only one that waits for frames gets their `grid`.
   */
  readonly waitsFor: "nothing" | "frame" | "requests";
}

/** All rules. To add one, add a function and an entry: the option's type and its check derive from it. */
export const RELEASE_RULES = {
  frame: { timing: frame, waitsFor: "frame" },
  idle: { timing: idle, waitsFor: "nothing" },
  window: { timing: window, waitsFor: "requests" },
} satisfies Record<string, Rule>;

export type ReleaseRule = keyof typeof RELEASE_RULES;

import type { FrameClock, FrameGrid } from "../../core/clock.js";
import { frameStartMs, isHidden, onVisibilityChange } from "./host.js";

/** Until two frames have been seen, in milliseconds. */
const ASSUMED_PERIOD_MS = 1000 / 60;

/** Frames further apart than this say nothing about the period: the page was idle in between. */
const LONGEST_GAP_PERIODS = 8;

/** Share of a newly measured period in the average. */
const STEP = 1 / 8;

/**
 * The page's frames, without asking for any: the document's timeline has the time of the current frame, on the same
 * time line as `performance.now()`, and each look at it that finds a new frame refines the period.
 */
export function createFrameClock(): FrameClock {
  let periodMs = ASSUMED_PERIOD_MS;
  let originMs: number | null = null;

  function learn(frameAtMs: number): void {
    const gapMs = frameAtMs - (originMs ?? frameAtMs);
    originMs = frameAtMs;
    const periods = Math.round(gapMs / periodMs);
    if (gapMs > 2 && periods === 0) periodMs = gapMs;
    else if (periods > 0 && periods <= LONGEST_GAP_PERIODS) periodMs += STEP * (gapMs / periods - periodMs);
  }

  return {
    grid(): FrameGrid | null {
      if (isHidden()) return null;
      const frameAtMs = frameStartMs();
      if (frameAtMs !== null) learn(frameAtMs);
      return originMs === null ? null : { originMs, periodMs };
    },
    isHidden,
    onVisibilityChange,
  };
}

import type { FrameClock, FrameGrid } from "./clock.js";
import { frameStartMs, isHidden, onVisibilityChange } from "./page.js";

/** Assumed time between frames until two frames have been observed, in milliseconds: a 60 Hz screen. */
const ASSUMED_PERIOD_MS = 1000 / 60;

/**
 * Maximum gap between two observed frames that updates the period, in periods. A longer gap means that the page was
 * idle.
 */
const MAX_GAP_PERIODS = 8;

/** Weight of a new measurement in the moving average of the period, 0 to 1. */
const SMOOTHING = 1 / 8;

/**
 * Creates a clock of the page's frames that requests no frames. It reads the time of the current frame from the
 * document's timeline, which has the same origin as `performance.now()`. Each call of `grid` that finds a new frame
 * refines the period.
 */
export function createFrameClock(): FrameClock {
  let periodMs = ASSUMED_PERIOD_MS;
  let originMs: number | null = null;

  function learn(frameAtMs: number): void {
    const gapMs = frameAtMs - (originMs ?? frameAtMs);
    originMs = frameAtMs;
    const periods = Math.round(gapMs / periodMs);
    if (gapMs > 2 && periods === 0) periodMs = gapMs;
    else if (periods > 0 && periods <= MAX_GAP_PERIODS) periodMs += SMOOTHING * (gapMs / periods - periodMs);
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

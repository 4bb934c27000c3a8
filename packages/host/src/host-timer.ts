import type { Cancel, Clock, FrameClock, FrameGrid, Timer } from "./clock.js";
import { settled } from "./microtask.js";
import { frameStartMs, isHidden, onVisibilityChange } from "./page.js";

export type { Timer };

/** Maximum delay of a host timer, about 24 days. Hosts store the delay in 32 bits; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * The host's own timer. Hosts count in whole milliseconds, drop the rest, and can therefore ring early: the delay is
 * rounded up, and a timer that rings early is set again. Reads globals at each call: tests can replace them, and
 * importing this module touches none.
 */
export const hostTimer: Timer = {
  now: () => performance.now(),
  schedule(atMs, callback): Cancel {
    let timer: ReturnType<typeof setTimeout>;
    function arm(): void {
      const delayMs = Math.ceil(Math.max(0, atMs - performance.now()));
      timer = setTimeout(ring, Math.min(delayMs, MAX_DELAY_MS));
    }
    function ring(): void {
      if (performance.now() < atMs) arm();
      else callback();
    }
    arm();
    return () => clearTimeout(timer);
  },
};

/** Calls `callback` after `delayMs` milliseconds. */
export function after(delayMs: number, callback: () => void, timer: Timer = hostTimer): Cancel {
  return timer.schedule(timer.now() + delayMs, callback);
}

/** The host's time. */
export const pageClock: Clock = {
  ...hostTimer,
  afterMicrotasks(callback) {
    let isCancelled = false;
    // One closure for all turns: a wait for the end of a burst takes many.
    function turn(): void {
      if (!isCancelled && callback() === true) void settled.then(turn);
    }
    void settled.then(turn);
    return () => {
      isCancelled = true;
    };
  },
};

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

/**
 * Marks a span for the browser's performance panel, and removes it from the page's list of entries at once, because
 * that list grows without limit. Times are in milliseconds on the time line of `performance.now()`.
 */
export function markSpan(name: string, start: number, end: number): void {
  performance.measure(name, { start, end });
  performance.clearMeasures(name);
}

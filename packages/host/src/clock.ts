/** Cancels a scheduled callback. Has no effect when called again, or after the callback has run. */
export type Cancel = () => void;

/** What a microtask does. `true` asks for another one. */
export type Turn = () => boolean | void;

/**
 * The core's only source of time. The core reads no global clock and sets no timers of its own, so a test or a
 * simulation that implements this interface controls time completely.
 */
export interface Clock {
  /** Returns the current time, in milliseconds since an arbitrary origin. Never goes backwards. */
  now(): number;
  /** Calls back once, at `atMs` or as soon afterwards as the host allows. Never synchronously. */
  schedule(atMs: number, callback: () => void): Cancel;
  /** Calls back in a microtask, and again in the next turn of their queue for as long as `callback` returns `true`. */
  afterMicrotasks(callback: Turn): Cancel;
}

/** The part of a clock that waiting needs. Tests replace it to control time. */
export type Timer = Pick<Clock, "now" | "schedule">;

/** Length of a frame where the page shows none, in milliseconds. */
export const FRAME_MS = 1000 / 60;

/** The times at which frames paint: `originMs + k * periodMs` for every integer k. */
export interface FrameGrid {
  /** A frame boundary on the time line of `Clock`, in milliseconds. */
  readonly originMs: number;
  /** Time between two frames, in milliseconds. 16.67 on a 60 Hz screen. */
  readonly periodMs: number;
}

/** Reports when the page paints. Causes no wake-ups while frames pass. */
export interface FrameClock {
  /** Returns the current grid, or `null` if nothing is painted: in a hidden tab, or in a program without a screen. */
  grid(): FrameGrid | null;
  /** Returns whether this is a hidden tab, whose timers may fire up to a minute late. */
  isHidden(): boolean;
  /** Calls back whenever the tab is hidden or shown, until cancelled. */
  onVisibilityChange(callback: () => void): Cancel;
}

/**
 * Returns the first frame boundary at or after `timeMs`. A boundary that is missed by less than a nanosecond counts as
 * met.
 */
export function frameAtOrAfter(grid: FrameGrid, timeMs: number): number {
  const frames = Math.ceil((timeMs - grid.originMs) / grid.periodMs - 1e-9);
  return grid.originMs + frames * grid.periodMs;
}

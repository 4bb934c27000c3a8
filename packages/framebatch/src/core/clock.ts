/** Undoes a scheduled callback. Calling it twice, or after the callback ran, does nothing. */
export type Cancel = () => void;

/**
 * Time as the core sees it. Nothing in the core reads a global clock or sets a timer of its own, so a test or a
 * simulation that implements these functions owns time completely.
 */
export interface Clock {
  /** Now, in milliseconds since an arbitrary origin. Never goes backwards. */
  now(): number;
  /** Calls back once, at `atMs` or as soon after it as the host can. Never synchronously. */
  schedule(atMs: number, callback: () => void): Cancel;
  /** Calls back once, after the current task and every microtask that it queued: the end of a burst. */
  afterTask(callback: () => void): Cancel;
  /** Calls back once, as a microtask of the current task. */
  afterMicrotasks(callback: () => void): Cancel;
}

/** The instants at which frames paint: `originMs + k * periodMs` for every whole k. */
export interface FrameGrid {
  /** A frame boundary on the `Clock`'s time line, in milliseconds. */
  readonly originMs: number;
  /** Time between two frames, in milliseconds: 16.67 on a 60 Hz screen. */
  readonly periodMs: number;
}

/** When the page paints. Nothing here wakes anybody while frames go by. */
export interface FrameClock {
  /** The current grid, or `null` where nothing paints: a hidden tab, or a program without a screen. */
  grid(): FrameGrid | null;
  /** Whether this is a hidden tab, whose timers come as late as a minute. */
  isHidden(): boolean;
  /** Calls back each time the tab is hidden or shown, until cancelled. */
  onVisibilityChange(callback: () => void): Cancel;
}

/** The first frame boundary at or after `timeMs`. A boundary missed by less than a nanosecond counts as met. */
export function frameAtOrAfter(grid: FrameGrid, timeMs: number): number {
  const frames = Math.ceil((timeMs - grid.originMs) / grid.periodMs - 1e-9);
  return grid.originMs + frames * grid.periodMs;
}

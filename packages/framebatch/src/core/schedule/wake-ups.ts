import type { Cancel, Clock, FrameClock } from "../clock.js";

/** Share of the worst lateness that remains after each `ease`. */
const LATENESS_KEPT = 0.9;

/**
 * One timer that can move, and that records how late timers fire. While set, it also fires when the
 * tab is hidden or shown, because the timers of a hidden tab fire late.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #frames: Pick<FrameClock, "onVisibilityChange">;
  readonly #ring: () => void;
  #set: { readonly atMs: number; readonly stopListening: Cancel; readonly cancelTimer: Cancel } | null = null;
  #latenessMs = 0;

  constructor(clock: Clock, frames: Pick<FrameClock, "onVisibilityChange">, ring: () => void) {
    this.#clock = clock;
    this.#frames = frames;
    this.#ring = ring;
  }

  /** How late alarms have recently fired, in milliseconds. */
  get latenessMs(): number {
    return this.#latenessMs;
  }

  /** Sets the alarm to fire at `atMs`, and not at the time for which it was set before. */
  setFor(atMs: number): void {
    if (this.#set?.atMs === atMs) return;
    this.clear();
    const stopListening = this.#frames.onVisibilityChange(this.#ring);
    const cancelTimer = this.#clock.schedule(atMs, () => this.#fired(atMs));
    this.#set = { atMs, stopListening, cancelTimer };
  }

  clear(): void {
    this.#set?.cancelTimer();
    this.#set?.stopListening();
    this.#set = null;
  }

  /**
   * Reduces the recorded lateness. Called on each dispatch. If it were called when an alarm fires, the smaller margin
   * would start the same wait again. It must not depend on alarms at all: if the margin leaves no time to wait, no
   * alarm is ever set.
   */
  ease(): void {
    this.#latenessMs *= LATENESS_KEPT;
  }

  #fired(atMs: number): void {
    this.clear();
    this.#latenessMs = Math.max(this.#clock.now() - atMs, this.#latenessMs);
    this.#ring();
  }
}

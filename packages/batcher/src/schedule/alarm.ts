import type { Cancel, FrameClock, Timer } from "@framebatch/host/clock.js";

/**
 * One timer that can move. While set, it also fires when the tab is hidden or shown, because the timers of a hidden tab
 * fire late.
 */
export class Alarm {
  readonly #timer: Timer;
  readonly #frames: Pick<FrameClock, "onVisibilityChange">;
  readonly #ring: () => void;
  /** Whether it is set. Only this class changes it. */
  isSet = false;
  #set: { readonly atMs: number; readonly stopListening: Cancel; readonly cancelTimer: Cancel } | null = null;

  constructor(timer: Timer, frames: Pick<FrameClock, "onVisibilityChange">, ring: () => void) {
    this.#timer = timer;
    this.#frames = frames;
    this.#ring = ring;
  }

  /** Sets the alarm to fire at `atMs`, and not at the time for which it was set before. */
  setFor(atMs: number): void {
    if (this.#set?.atMs === atMs) return;
    this.clear();
    const stopListening = this.#frames.onVisibilityChange(this.#fired);
    const cancelTimer = this.#timer.schedule(atMs, this.#fired);
    this.#set = { atMs, stopListening, cancelTimer };
    this.isSet = true;
  }

  clear(): void {
    this.#set?.cancelTimer();
    this.#set?.stopListening();
    this.#set = null;
    this.isSet = false;
  }

  readonly #fired = (): void => {
    this.clear();
    this.#ring();
  };
}

import type { Cancel, Clock, FrameClock } from "../clock.js";
import { whenQuiet } from "./quiet-turns.js";

/** Share of the worst lateness that remains after each `ease`. */
const LATENESS_KEPT = 0.9;

/**
 * One timer that can move to an earlier time, and that records how late timers fire. While set, it also fires when the
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

  /** Sets the alarm to fire at `atMs`, unless it is already set for an earlier time. `Infinity` clears it. */
  setFor(atMs: number): void {
    if (atMs === Infinity) return this.clear();
    if (this.#set !== null && this.#set.atMs <= atMs) return;
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

/** The scheduled look at the queue, among the microtasks of the current task. At most one is scheduled. */
export class DispatchTrigger {
  readonly #clock: Clock;
  readonly #look: () => void;
  #cancel: Cancel | null = null;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Whether a look is scheduled, which is the case from the first request of a burst until its end. */
  get isPending(): boolean {
    return this.#cancel !== null;
  }

  /**
   * Looks at the queue as soon as `waiting` returns `Infinity`, or does not grow for some microtask turns. Callers that
   * depend on each other's microtasks arrive one by one. Has no effect if a look is scheduled.
   *
   * @param waiting returns the number of queued requests, or `Infinity` when no other request is expected
   */
  afterMicrotasks(waiting: () => number): void {
    this.#cancel ??= whenQuiet(this.#clock, waiting, () => {
      this.#cancel = null;
      this.#look();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}

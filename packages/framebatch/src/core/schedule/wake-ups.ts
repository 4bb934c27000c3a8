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

/** Number of microtask turns without another request after which the look comes after the task instead. */
const TURNS_TO_LOOK = 4;

/**
 * The scheduled look at the queue: after the current task, or sooner, among its microtasks. At most one is scheduled.
 */
export class DispatchTrigger {
  readonly #clock: Clock;
  readonly #look: () => void;
  #next: { readonly isSoon: boolean; readonly cancel: Cancel } | null = null;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Whether a look is scheduled, which is the case from the first request of a task until its end. */
  get isPending(): boolean {
    return this.#next !== null;
  }

  afterTask(): void {
    if (this.#next !== null) return;
    const cancel = this.#clock.afterTask(() => this.#now());
    this.#next = { isSoon: false, cancel };
  }

  /**
   * Looks at the queue in a microtask, as soon as `waiting` returns `Infinity`. Callers that depend on each other's
   * microtasks arrive one by one. If none arrives for several turns, the look comes after the task instead.
   *
   * @param waiting returns the number of queued requests, or `Infinity` when no other request is expected
   */
  afterMicrotasks(waiting: () => number): void {
    if (this.#next?.isSoon) return;
    this.cancel();
    const cancel = whenQuiet(this.#clock, TURNS_TO_LOOK, waiting, (count) => {
      this.#next = null;
      if (count === Infinity) this.#look();
      else this.afterTask();
    });
    this.#next = { isSoon: true, cancel };
  }

  cancel(): void {
    this.#next?.cancel();
    this.#next = null;
  }

  #now(): void {
    this.#next = null;
    this.#look();
  }
}

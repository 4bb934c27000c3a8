import type { Cancel, Clock, FrameClock } from "../clock.js";

/** Share of the worst lateness that remains each time it is eased. */
const LATENESS_KEPT = 0.9;

/**
 * One timer that can be moved forward, and that remembers how late timers come here. While it is set, it also rings when the tab is
 * hidden or shown, since the timers of a hidden tab come late.
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

  /** By how much alarms have been late of late, in milliseconds. */
  get latenessMs(): number {
    return this.#latenessMs;
  }

  /** Rings at `atMs`, or before where it is set for sooner already. `Infinity` sets none. */
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
   * Lets past lateness count for less. Not as an alarm rings: a margin that shrank then would have the same wait begin
   * again. And not by alarms at all: where the margin leaves no time to wait, none is ever set.
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

/** Turns of the microtask queue in which a caller that was answered has asked again, if it does so at once. */
const MICROTASKS_TO_RETURN = 4;

/** The look at the queue that is to come: once the current task is over, or sooner, among its microtasks. One at most. */
export class NextLook {
  readonly #clock: Clock;
  readonly #look: () => void;
  #next: { readonly isSoon: boolean; readonly cancel: Cancel } | null = null;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Whether a look is to come, as it is from the first request of a task to its end. */
  get isPending(): boolean {
    return this.#next !== null;
  }

  afterTask(): void {
    if (this.#next !== null) return;
    const cancel = this.#clock.afterTask(() => this.#now());
    this.#next = { isSoon: false, cancel };
  }

  /**
   * Looks among the microtasks, as soon as `waiting` is `Infinity`. Callers that wait for each other's microtasks come one by one;
   * when no more have come for some turns, the look comes after the task.
   *
   * @param waiting how many wait; `Infinity` when nobody else is to be expected
   */
  afterReturns(waiting: () => number): void {
    if (this.#next?.isSoon) return;
    this.cancel();
    this.#afterMicrotasks(waiting, MICROTASKS_TO_RETURN);
  }

  cancel(): void {
    this.#next?.cancel();
    this.#next = null;
  }

  #afterMicrotasks(waiting: () => number, turns: number): void {
    const before = waiting();
    const cancel = this.#clock.afterMicrotasks(() => {
      this.#next = null;
      const now = waiting();
      if (now === Infinity) this.#now();
      else if (now > before) this.#afterMicrotasks(waiting, MICROTASKS_TO_RETURN);
      else if (turns > 1) this.#afterMicrotasks(waiting, turns - 1);
      else this.afterTask();
    });
    this.#next = { isSoon: true, cancel };
  }

  #now(): void {
    this.#next = null;
    this.#look();
  }
}

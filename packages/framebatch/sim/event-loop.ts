import type { Cancel, Clock } from "../src/core/clock.js";
import { EventHeap, type SimEvent } from "./event-heap.js";

/** Timers of a hidden tab fire on whole seconds only, as browsers have it. */
const HIDDEN_TIMER_PERIOD_MS = 1000;

/**
 * A page's event loop in virtual time: one task, its microtasks, the tasks that it posted, then the next event. `schedule` is a
 * page's timer: counted, and throttled while the tab is hidden. `at` is the world itself: neither.
 */
export class EventLoop implements Clock {
  /** Called as each timer fires: a wake-up. */
  onTimer: (() => void) | null = null;
  timersFired = 0;

  readonly #heap = new EventHeap();
  #nowMs = 0;
  #order = 0;
  #microtasks: SimEvent[] = [];
  #tasks: SimEvent[] = [];
  #throttled: SimEvent[] = [];
  #hidden = false;

  now(): number {
    return this.#nowMs;
  }

  schedule(atMs: number, callback: () => void): Cancel {
    const timer = this.#event(Math.max(atMs, this.#nowMs), callback, true);
    this.#heap.push(timer);
    return cancelOf(timer);
  }

  afterTask(callback: () => void): Cancel {
    const task = this.#event(this.#nowMs, callback);
    this.#tasks.push(task);
    return cancelOf(task);
  }

  afterMicrotasks(callback: () => void): Cancel {
    const task = this.#event(this.#nowMs, callback);
    this.#microtasks.push(task);
    return cancelOf(task);
  }

  /** Something that happens in the world, whatever the page's state. */
  at(atMs: number, callback: () => void): void {
    this.#heap.push(this.#event(Math.max(atMs, this.#nowMs), callback));
  }

  /** Lets time pass with nothing running: a frozen tab, a closed lid. What fell due meanwhile happens late. */
  jump(byMs: number): void {
    this.#nowMs += byMs;
  }

  hide(): void {
    this.#hidden = true;
  }

  show(): void {
    this.#hidden = false;
    this.at(this.#nowMs, () => this.#releaseThrottled());
  }

  /** Runs every event up to and at `untilMs`, or until nothing is left to happen. */
  run(untilMs: number): void {
    while (this.step(untilMs));
  }

  /** Runs the next event; tells whether there was one at or before `untilMs`. */
  step(untilMs: number): boolean {
    const next = this.#heap.peek();
    if (next === undefined || next.atMs > untilMs) return false;
    this.#heap.pop();
    if (next.callback === null) return true;
    if (next.atMs > this.#nowMs) this.#nowMs = next.atMs;
    if (!next.isTimer) this.task(next.callback);
    else if (this.#hidden) this.#throttle(next);
    else this.#fire(next);
    return true;
  }

  /** Runs one task to its end, and everything that it posted to run right after it. */
  task(callback: () => void): void {
    callback();
    this.#drain();
    for (let i = 0; i < this.#tasks.length; i++) {
      this.#tasks[i]?.callback?.();
      this.#drain();
    }
    if (this.#tasks.length > 0) this.#tasks = [];
  }

  #drain(): void {
    const queue = this.#microtasks;
    if (queue.length === 0) return;
    for (let i = 0; i < queue.length; i++) queue[i]?.callback?.();
    this.#microtasks = [];
  }

  #event(atMs: number, callback: () => void, isTimer = false): SimEvent {
    return { atMs, order: this.#order++, callback, isTimer };
  }

  #throttle(timer: SimEvent): void {
    if (this.#throttled.push(timer) > 1) return;
    const nextMs = (Math.floor(this.#nowMs / HIDDEN_TIMER_PERIOD_MS) + 1) * HIDDEN_TIMER_PERIOD_MS;
    this.at(nextMs, () => this.#releaseThrottled());
  }

  #releaseThrottled(): void {
    const due = this.#throttled;
    this.#throttled = [];
    for (const timer of due) this.#fire(timer);
  }

  #fire(timer: SimEvent): void {
    const callback = timer.callback;
    if (callback === null) return;
    timer.callback = null;
    this.timersFired++;
    this.onTimer?.();
    this.task(callback);
  }
}

function cancelOf(event: SimEvent): Cancel {
  return () => {
    event.callback = null;
  };
}

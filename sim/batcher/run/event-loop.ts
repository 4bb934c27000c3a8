import type { Cancel, Clock, Turn } from "@framebatch/host/clock.js";
import { EventHeap, type SimEvent } from "./event-heap.js";

/** Browsers fire the timers of a hidden tab only on whole seconds. */
const HIDDEN_TIMER_PERIOD_MS = 1000;

/**
 * A page's event loop in virtual time. It runs one task, its microtasks, the tasks that it posted, and then the next
 * event. `schedule` sets a timer of the page: it is counted, and throttled while the tab is hidden. `at` adds an event
 * of the world, which is neither counted nor throttled.
 */
export class EventLoop implements Clock {
  /** Called each time a timer fires. */
  onTimer: (() => void) | null = null;
  timersFired = 0;

  readonly #heap = new EventHeap();
  #nowMs = 0;
  #taskAtMs = 0;
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

  afterMicrotasks(callback: Turn): Cancel {
    const task = this.#event(this.#nowMs, () => {
      if (callback() === true) this.#microtasks.push(task);
    });
    this.#microtasks.push(task);
    return cancelOf(task);
  }

  /** Schedules an event of the world, which happens whether the tab is visible or hidden. */
  at(atMs: number, callback: () => void): void {
    this.#heap.push(this.#event(Math.max(atMs, this.#nowMs), callback));
  }

  /**
   * Advances the clock within a task: while the page works, as in a frozen tab or a sleeping laptop. Events that become
   * due meanwhile run late.
   */
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

  /** Runs all events that are due at `untilMs` or earlier. */
  run(untilMs: number): void {
    while (this.step(untilMs));
  }

  /** Runs the next event. Returns whether there was one at or before `untilMs`. */
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

  /** When the current task began. */
  get taskAtMs(): number {
    return this.#taskAtMs;
  }

  /** Runs one task to its end, and then every task and microtask that it posted. */
  task(callback: () => void): void {
    this.#taskAtMs = this.#nowMs;
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

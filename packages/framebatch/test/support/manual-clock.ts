import type { Cancel, Clock } from "../../src/core/clock.js";

type Due = readonly [atMs: number, callback: () => void];

/** Microtasks come before the end of the task, and both before any timer. */
const [MICROTASK, TASK_END] = [-2, -1] as const;

/** Time that moves only when the test says so. What is due comes back by `drain`, `endTask` or `advanceTo`. */
export class ManualClock implements Clock {
  readonly #due = new Set<Due>();
  #nowMs = 0;

  now = (): number => this.#nowMs;
  afterTask = (callback: () => void): Cancel => this.schedule(TASK_END, callback);
  afterMicrotasks = (callback: () => void): Cancel => this.schedule(MICROTASK, callback);
  drain = (): void => this.#run(MICROTASK);
  endTask = (): void => this.#run(TASK_END);

  schedule(atMs: number, callback: () => void): Cancel {
    const due: Due = [atMs, callback];
    this.#due.add(due);
    return () => void this.#due.delete(due);
  }

  /** Timers, ends of tasks and microtasks that are still to come. */
  get pending(): number {
    return this.#due.size;
  }

  advanceTo(atMs: number): void {
    this.#run(atMs);
    this.freezeUntil(atMs);
  }

  /** Lets time pass while nothing runs: a long task, a lid that is closed. Whatever falls due meanwhile comes late. */
  freezeUntil(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  #run(untilMs: number): void {
    for (;;) {
      const next = [...this.#due].toSorted(([a], [b]) => a - b)[0];
      if (next === undefined || next[0] > untilMs) return;
      this.#due.delete(next);
      this.freezeUntil(next[0]);
      next[1]();
    }
  }
}

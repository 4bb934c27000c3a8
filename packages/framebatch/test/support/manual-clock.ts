import type { Cancel, Clock } from "../../src/core/clock.js";

type Due = readonly [atMs: number, callback: () => void];

/** Microtasks run before the end of the task, and both run before any timer. */
const [MICROTASK, TASK_END] = [-2, -1] as const;

/** A clock that only the test advances. `drain`, `endTask` and `advanceTo` run the callbacks that are due. */
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

  /** The number of pending timers, ends of tasks and microtasks. */
  get pending(): number {
    return this.#due.size;
  }

  advanceTo(atMs: number): void {
    this.#run(atMs);
    this.freezeUntil(atMs);
  }

  /**
   * Advances the clock while nothing runs, as in a long task or a sleeping laptop. Callbacks that become due meanwhile
   * run late.
   */
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

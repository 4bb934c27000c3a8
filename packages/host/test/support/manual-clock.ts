import type { Cancel, Clock, Turn } from "../../src/clock.js";

type Due = readonly [atMs: number, callback: () => void];

/** Microtasks run before any timer. */
const MICROTASK = -1;

/** A clock that only the test advances. `endTask` and `advanceTo` run the callbacks that are due. */
export class ManualClock implements Clock {
  readonly #due = new Set<Due>();
  #nowMs = 0;

  now = (): number => this.#nowMs;
  endTask = (): void => this.#run(MICROTASK);

  schedule(atMs: number, callback: () => void): Cancel {
    const due: Due = [atMs, callback];
    this.#due.add(due);
    return () => void this.#due.delete(due);
  }

  afterMicrotasks = (callback: Turn): Cancel => {
    let isCancelled = false;
    const turn = (): Cancel =>
      this.schedule(MICROTASK, () => {
        if (!isCancelled && callback() === true) cancel = turn();
      });
    let cancel = turn();
    return () => {
      isCancelled = true;
      cancel();
    };
  };

  /** The number of pending timers and microtasks. */
  get pending(): number {
    return this.#due.size;
  }

  /** When the next callback is due; `Infinity` if none is. */
  get nextAtMs(): number {
    return this.#first()?.[0] ?? Infinity;
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

  /** Of those that are due at the same time, the one that was scheduled first. A scan, because few wait at any time. */
  #first(): Due | undefined {
    let first: Due | undefined;
    for (const due of this.#due) if (first === undefined || due[0] < first[0]) first = due;
    return first;
  }

  #run(untilMs: number): void {
    for (;;) {
      const next = this.#first();
      if (next === undefined || next[0] > untilMs) return;
      this.#due.delete(next);
      this.freezeUntil(next[0]);
      next[1]();
    }
  }
}

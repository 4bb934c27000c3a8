import { pageClock } from "@framebatch/host/host-timer.js";
import type { Cancel, Clock, Turn } from "@framebatch/host/clock.js";
import { EventLoop } from "../batcher/run/event-loop.js";

/** More events than any run needs. A run that exceeds it is in an endless loop. */
const MAX_EVENTS = 200_000;

/**
 * A page's event loop in virtual time, for code that awaits promises: microtasks are real, and all of them run before
 * the next event. So it runs asynchronously, unlike `EventLoop`.
 */
export class PageLoop implements Clock {
  readonly #loop = new EventLoop();
  /** Called before each timer. */
  onTimer: (() => void) | null = null;
  /** Called after each event and all of its microtasks. */
  afterEvent: (() => void) | null = null;
  #events = 0;

  /** Number of the current event. */
  get event(): number {
    return this.#events;
  }

  now(): number {
    return this.#loop.now();
  }

  schedule(atMs: number, callback: () => void): Cancel {
    return this.#loop.schedule(atMs, () => {
      this.onTimer?.();
      callback();
    });
  }

  afterMicrotasks(callback: Turn): Cancel {
    return pageClock.afterMicrotasks(callback);
  }

  /** Calls back after `ms` milliseconds. An event of the world, not a timer of the page. */
  after(ms: number, callback: () => void): void {
    this.#loop.at(this.now() + ms, callback);
  }

  /** Resolves after `ms` milliseconds. */
  delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Runs every event. Returns false if they do not end. */
  async run(): Promise<boolean> {
    while (this.#loop.step(Infinity)) {
      await microtasks();
      this.afterEvent?.();
      if (++this.#events > MAX_EVENTS) return false;
    }
    return true;
  }
}

/** Resolves when no microtask is left. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

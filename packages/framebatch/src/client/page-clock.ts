import type { Cancel, Clock } from "../core/clock.js";
import { immediateHost } from "./host.js";

/** The host's time, for one batcher, which closes it at its end: a message port that is open is never collected. */
export interface PageClock extends Clock {
  close(): void;
}

/** The host's own time. Globals are read when they are needed, so that a test may replace them, and import touches none. */
export function createPageClock(): PageClock {
  const tasks = new TaskQueue();
  return {
    now: () => performance.now(),
    schedule: setTimer,
    afterTask: (callback) => tasks.post(callback),
    afterMicrotasks: (callback) => {
      let isCancelled = false;
      queueMicrotask(() => {
        if (!isCancelled) callback();
      });
      return () => {
        isCancelled = true;
      };
    },
    close: () => tasks.close(),
  };
}

/** Hosts keep a timer's delay in 32 bits: one that is longer than this, some 24 days, would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

function setTimer(atMs: number, callback: () => void): Cancel {
  let timer: ReturnType<typeof setTimeout>;
  function arm(): void {
    const delayMs = Math.max(0, atMs - performance.now());
    timer = delayMs <= LONGEST_DELAY_MS ? setTimeout(callback, delayMs) : setTimeout(arm, LONGEST_DELAY_MS);
  }
  arm();
  return () => clearTimeout(timer);
}

/**
 * Tasks that follow the current one at once. Messages are neither clamped to 4 ms, as nested timers are, nor throttled
 * in hidden tabs.
 */
class TaskQueue {
  readonly #callbacks: (() => void)[] = [];
  #port: MessagePort | null = null;

  post(callback: () => void): Cancel {
    let isCancelled = false;
    this.#callbacks.push(() => {
      if (!isCancelled) callback();
    });
    this.#wake();
    return () => {
      isCancelled = true;
    };
  }

  close(): void {
    this.#port?.close();
    this.#port = null;
  }

  #wake(): void {
    const host = immediateHost();
    if (host !== null) host.setImmediate(() => this.#runOne());
    else (this.#port ??= this.#open()).postMessage(null);
  }

  #open(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => this.#runOne();
    return port2;
  }

  #runOne(): void {
    this.#callbacks.shift()?.();
  }
}

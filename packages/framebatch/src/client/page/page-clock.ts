import type { Cancel, Clock } from "../../core/clock.js";
import { hostTimer } from "../../time/host-timer.js";
import { immediateHost } from "./host.js";

/** The host's time, for one batcher, which closes it at its end: a message port that is open is never collected. */
export interface PageClock extends Clock {
  close(): void;
}

/** The host's own time, with its tasks and microtasks. */
export function createPageClock(): PageClock {
  const tasks = new TaskQueue();
  return {
    ...hostTimer,
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

import type { Cancel, Clock } from "../../core/clock.js";
import { hostTimer } from "../../time/host-timer.js";
import { immediateHost } from "./host.js";

/**
 * The host's time for one batcher. The batcher must close it when it is disposed, because an open message port is never
 * garbage-collected.
 */
export interface PageClock extends Clock {
  /** Closes the message port. Tasks posted before may not run. */
  close(): void;
}

/** Creates a clock from the host's timers, tasks and microtasks. */
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
 * Runs callbacks in tasks right after the current one. It uses messages, because browsers clamp nested timers to 4 ms
 * and throttle timers in hidden tabs, but not messages.
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

import type { Cancel } from "@framebatch/host/clock.js";
import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";

/**
 * Dispatches a batch once it is full or its oldest request is `windowMs` old, if the worker is free (Triton, KServe).
 */
export function fixedWindow(windowMs: number): Policy {
  return ({ clock, engine, maxBatchSize }) => {
    const queue = new Fifo();
    let cancelTimer: Cancel | null = null;

    const decide = oncePerTask(clock, () => {
      const head = queue.head();
      if (head === undefined || device.isBusy) return;
      const dueMs = head.enqueuedAtMs + windowMs;
      if (queue.length >= maxBatchSize || clock.now() >= dueMs) leave();
      else cancelTimer ??= clock.schedule(dueMs, timerFired);
    });
    const device = new Device(engine, decide);

    function timerFired(): void {
      cancelTimer = null;
      decide();
    }

    function leave(): void {
      cancelTimer?.();
      cancelTimer = null;
      device.run(queue.take(maxBatchSize));
    }

    return {
      enqueue(item, sink) {
        queue.push({ item, sink, enqueuedAtMs: clock.now() });
        decide();
      },
      stop() {},
    };
  };
}

import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";

/**
 * Dispatches up to `batchSize` queued requests whenever the worker is free (Triton without a delay, TensorFlow's
 * just-in-time scheduler).
 */
function workConserving(batchSize: (maxBatchSize: number) => number): Policy {
  return ({ clock, engine, maxBatchSize }) => {
    const queue = new Fifo();
    const dispatch = oncePerTask(clock, () => {
      if (!device.isBusy && queue.length > 0) device.run(queue.take(batchSize(maxBatchSize)));
    });
    const device = new Device(engine, dispatch);
    return {
      enqueue(item, sink) {
        queue.push({ item, sink, enqueuedAtMs: clock.now() });
        dispatch();
      },
      stop() {},
    };
  };
}

export const greedy = workConserving((maxBatchSize) => maxBatchSize);

/** Batching disabled: each request runs alone. */
export const off = workConserving(() => 1);

import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";

/** Whenever the worker is free, up to `batchSize` of what is queued (Triton with no delay, TF's just-in-time scheduler). */
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

/** Batching off: each request alone. */
export const off = workConserving(() => 1);

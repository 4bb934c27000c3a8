import type { Cancel } from "@framebatch/host/clock.js";
import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";

const MAX_BATCH_DELAY_MS = 10;

/**
 * TorchServe: a free worker takes the first request and then polls for more for up to `maxBatchDelay`. Time already
 * spent in the queue does not count towards the delay.
 */
export const torchServe: Policy = ({ clock, engine, maxBatchSize }) => {
  const queue = new Fifo();
  let cancelPolling: Cancel | null = null;

  const poll = oncePerTask(clock, () => {
    if (device.isBusy || queue.length === 0) return;
    if (queue.length >= maxBatchSize) leave();
    else cancelPolling ??= clock.schedule(clock.now() + MAX_BATCH_DELAY_MS, leave);
  });
  const device = new Device(engine, poll);

  function leave(): void {
    cancelPolling?.();
    cancelPolling = null;
    device.run(queue.take(maxBatchSize));
  }

  return {
    enqueue(item, sink) {
      queue.push({ item, sink, enqueuedAtMs: clock.now() });
      poll();
    },
    stop() {},
  };
};

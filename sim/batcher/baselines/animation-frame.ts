import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";

/**
 * Calls `requestAnimationFrame` on the first request. The frame callback dispatches the whole queue if the worker is
 * free.
 */
export const animationFrame: Policy = ({ clock, engine, frames, maxBatchSize }) => {
  const queue = new Fifo();
  const device = new Device(engine, () => {});
  let isRequested = false;

  function requestFlush(): void {
    if (isRequested || queue.length === 0) return;
    isRequested = true;
    frames.requestFrame(flush);
  }

  function flush(): void {
    isRequested = false;
    if (!device.isBusy) device.run(queue.take(maxBatchSize));
    requestFlush();
  }

  return {
    enqueue(item, sink) {
      queue.push({ item, sink, enqueuedAtMs: clock.now() });
      requestFlush();
    },
    stop() {},
  };
};

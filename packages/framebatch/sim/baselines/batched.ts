import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo, type Waiting } from "./fifo.js";

const TIMEOUT_MS = 5;

/**
 * mixedbread's `batched` loop. It sleeps for a fixed time unless a full batch is queued. It then runs as many full
 * batches as the queue holds, one after the other. It ticks without end, with or without work.
 */
export const batched: Policy = ({ clock, engine, maxBatchSize }) => {
  const queue = new Fifo();
  const ready: Waiting[][] = [];
  let isStopped = false;
  const device = new Device(engine, () => clock.afterTask(next));

  function next(): void {
    const batch = ready.shift();
    if (batch !== undefined) device.run(batch);
    else if (queue.length >= maxBatchSize) take();
    else if (!isStopped) clock.schedule(clock.now() + TIMEOUT_MS, take);
  }

  function take(): void {
    const batches = Math.max(1, Math.floor(queue.length / maxBatchSize));
    for (let i = 0; i < batches && queue.length > 0; i++) ready.push(queue.take(maxBatchSize));
    next();
  }

  next();
  return {
    enqueue(item, sink) {
      queue.push({ item, sink, enqueuedAtMs: clock.now() });
    },
    stop() {
      isStopped = true;
    },
  };
};

import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import { Fifo, type Waiting } from "./fifo.js";

const TIMEOUT_MS = 5;

/**
 * mixedbread's `batched` loop for asyncio. It sleeps for a fixed time unless a full batch is queued. It then runs as
 * many full batches as the queue holds, one after the other. It looks at the queue before the callers that it has just
 * answered enqueue again. From the first request on, it ticks without end, with or without work.
 */
export const batched: Policy = ({ clock, engine, maxBatchSize }) => {
  const queue = new Fifo();
  const ready: Waiting[][] = [];
  let isStarted = false;
  let isStopped = false;
  const device = new Device(engine, next);

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

  return {
    enqueue(item, sink) {
      queue.push({ item, sink, enqueuedAtMs: clock.now() });
      if (!isStarted) clock.afterTask(next);
      isStarted = true;
    },
    stop() {
      isStopped = true;
    },
  };
};

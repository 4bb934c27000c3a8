import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import type { Waiting } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";

const BATCH_TIMEOUT_MS = 10;

/**
 * TensorFlow's SharedBatchScheduler with one batch thread and powers of two as allowed sizes. Requests join the last
 * open batch. The first batch is dispatched when it is full or `batch_timeout` after its first request, padded up to an
 * allowed size. `max_enqueued_batches` is unbounded, so that it answers as many requests as the other policies.
 */
export const tfShared: Policy = ({ clock, engine, maxBatchSize }) => {
  const batches: Waiting[][] = [];

  const runFirst = oncePerTask(clock, () => {
    const first = batches[0];
    if (first === undefined || device.isBusy) return;
    if (first.length < maxBatchSize && clock.now() < dueMs(first)) return;
    batches.shift();
    device.run(first, allowedSize(first.length, maxBatchSize));
  });
  const device = new Device(engine, runFirst);

  return {
    enqueue(item, sink) {
      const waiting = { item, sink, enqueuedAtMs: clock.now() };
      const open = batches.at(-1);
      if (open !== undefined && open.length < maxBatchSize) open.push(waiting);
      else {
        batches.push([waiting]);
        clock.schedule(waiting.enqueuedAtMs + BATCH_TIMEOUT_MS, runFirst);
      }
      runFirst();
    },
    stop() {},
  };
};

function dueMs(batch: readonly Waiting[]): number {
  return (batch[0]?.enqueuedAtMs ?? 0) + BATCH_TIMEOUT_MS;
}

function allowedSize(size: number, maxBatchSize: number): number {
  let allowed = 1;
  while (allowed < size) allowed *= 2;
  return Math.min(allowed, maxBatchSize);
}

import type { Policy } from "../policy.js";
import { CorkOptimizer } from "./cork-optimizer.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";
import { SHED } from "./shed.js";

const TICK_MS = 1;
const DECAY = 0.95;
/** A batch of live traffic on which the optimizer trains. */
interface TrainingBatch {
  /** Number of requests that it waits for. It takes all that are queued. */
  readonly size: number;
  /** Number of requests, needed for training, that are kept even if they are too late. */
  readonly kept: number;
  /** Whether the line is fitted again when the batch is dispatched, without its own time. */
  readonly isFitted?: true;
}

const TRAINING: readonly TrainingBatch[] = [
  ...[2, 1, 0, 0, 0, 0, 0, 0].map((kept) => ({ size: 1, kept })),
  { size: 1, kept: 6, isFitted: true },
  { size: 2, kept: 5, isFitted: true },
  { size: 3, kept: 3, isFitted: true },
];

/**
 * BentoML's CorkDispatcher: polls every millisecond while requests are queued, with at most one batch in flight. Where
 * the scenario sets no objective, `max_latency` is unbounded instead of BentoML's default of one minute, so that it
 * answers as many requests as the other policies.
 */
export const bentoMl: Policy = ({ clock, engine, maxBatchSize, objectiveMs: maxLatencyMs = Infinity }) => {
  const optimizer = new CorkOptimizer(maxLatencyMs);
  const queue = new Fifo();
  let round = 0;
  let isTicking = false;
  let dispatchedAtMs = 0;
  let headWaitMs = 0;

  const device = new Device(engine, (batch) => {
    const nowMs = clock.now();
    optimizer.record({ size: batch.length, runMs: nowMs - dispatchedAtMs, headWaitMs }, nowMs);
  });

  function tick(): void {
    isTicking = false;
    while (decide() === "again");
    if (queue.length > 0) sleep();
  }

  function sleep(): void {
    if (isTicking) return;
    isTicking = true;
    clock.schedule(clock.now() + TICK_MS, tick);
  }

  /** Returns "again" after shedding the head or dispatching, and "wait" to wait for the next tick or request. */
  function decide(): "again" | "wait" {
    const head = queue.head();
    const tail = queue.tail();
    if (head === undefined || tail === undefined) return "wait";
    const headAgeMs = clock.now() - head.enqueuedAtMs;
    const tailAgeMs = clock.now() - tail.enqueuedAtMs;
    if (mustShed(headAgeMs)) {
      for (const { sink } of queue.take(1)) sink.reject(SHED);
      return "again";
    }
    if (device.isBusy || isCorked(headAgeMs, tailAgeMs)) return "wait";
    dispatch(headAgeMs);
    return "again";
  }

  function mustShed(headAgeMs: number): boolean {
    const training = TRAINING[round];
    if (training !== undefined) return queue.length > training.kept && headAgeMs >= maxLatencyMs;
    if (queue.length === 1) return headAgeMs >= maxLatencyMs && device.isBusy;
    return headAgeMs + optimizer.perItemMs * queue.length + optimizer.fixedMs >= maxLatencyMs;
  }

  function isCorked(headAgeMs: number, tailAgeMs: number): boolean {
    const size = queue.length;
    const training = TRAINING[round];
    if (training !== undefined)
      return training.size > 1 && size < Math.min(training.size, maxBatchSize) && mayHold(training.size, headAgeMs);
    return size < maxBatchSize && size * (tailAgeMs + TICK_MS + optimizer.perItemMs) <= optimizer.waitMs * DECAY;
  }

  function mayHold(size: number, headAgeMs: number): boolean {
    const { perItemMs, fixedMs } = optimizer;
    const limitMs = Math.min(maxLatencyMs * DECAY, (2 * size + 1) * perItemMs + fixedMs);
    return size * perItemMs + fixedMs + headAgeMs <= limitMs;
  }

  function dispatch(headAgeMs: number): void {
    const training = TRAINING[round++];
    dispatchedAtMs = clock.now();
    headWaitMs = training === undefined ? headAgeMs : 0;
    device.run(queue.take(maxBatchSize));
    if (training?.isFitted) optimizer.refresh();
  }

  const wake = oncePerTask(clock, () => {
    if (!isTicking) tick();
  });
  return {
    enqueue(item, sink) {
      queue.push({ item, sink, enqueuedAtMs: clock.now() });
      wake();
    },
    stop() {},
  };
};

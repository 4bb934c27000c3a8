import type { Policy } from "../policy.js";
import { CorkOptimizer } from "./cork-optimizer.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { oncePerTask } from "./once-per-task.js";
import { SHED } from "./shed.js";

const TICK_MS = 1;
const DECAY = 0.95;
/** Sizes of the first batches. The optimizer trains on them with live traffic. */
const TRAINING_SIZES = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3];
/** From this round on, the line is fitted again after every training batch. */
const FIRST_FITTED_ROUND = 8;

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
    if (round > FIRST_FITTED_ROUND && round <= TRAINING_SIZES.length) optimizer.refresh();
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

  /** Returns "again" after shedding the head, and "wait" to wait for the next tick or the next request. */
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
    leave(headAgeMs);
    return "wait";
  }

  function mustShed(headAgeMs: number): boolean {
    if (round < TRAINING_SIZES.length || queue.length === 1) return headAgeMs >= maxLatencyMs && device.isBusy;
    return headAgeMs + optimizer.perItemMs * queue.length + optimizer.fixedMs >= maxLatencyMs;
  }

  function isCorked(headAgeMs: number, tailAgeMs: number): boolean {
    const size = queue.length;
    const trained = TRAINING_SIZES[round];
    if (trained !== undefined)
      return trained > 1 && size < Math.min(trained, maxBatchSize) && mayHold(trained, headAgeMs);
    return size < maxBatchSize && size * (tailAgeMs + TICK_MS + optimizer.perItemMs) <= optimizer.waitMs * DECAY;
  }

  function mayHold(size: number, headAgeMs: number): boolean {
    const { perItemMs, fixedMs } = optimizer;
    const limitMs = Math.min(maxLatencyMs * DECAY, (2 * size + 1) * perItemMs + fixedMs);
    return size * perItemMs + fixedMs + headAgeMs <= limitMs;
  }

  function leave(headAgeMs: number): void {
    dispatchedAtMs = clock.now();
    headWaitMs = (TRAINING_SIZES[round] ?? 1) > 1 ? 0 : headAgeMs;
    round++;
    device.run(queue.take(maxBatchSize));
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

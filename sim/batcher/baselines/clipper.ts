import type { Policy } from "../policy.js";
import { normal } from "../model/random.js";
import { Device } from "./device.js";
import { Fifo } from "./fifo.js";
import { LatencyEstimator } from "./latency-estimator.js";
import { oncePerTask } from "./once-per-task.js";
import { SHED } from "./shed.js";

const BUDGET_SHARE = 0.92;
const SAMPLES_PER_SIZE = 5;
const LARGEST_ADDITIVE_SIZE = 10;

/**
 * Clipper as shipped: earliest deadline first (here first in, first out, because all requests have the same objective).
 * It drops late requests and makes each batch as large as the head's remaining budget allows. With budget to spare it
 * explores larger sizes, padded with copies to measure them. It requires an objective; where the scenario sets none,
 * the budget is unbounded.
 */
export const clipper: Policy = ({ clock, engine, maxBatchSize, objectiveMs = Infinity, random }) => {
  const queue = new Fifo();
  const estimator = new LatencyEstimator();
  let explored = 1;
  let dispatchedAtMs = 0;

  const dispatch = oncePerTask(clock, () => {
    if (device.isBusy) return;
    dropLate();
    const head = queue.head();
    if (head === undefined) return;
    leave(BUDGET_SHARE * (head.enqueuedAtMs + objectiveMs - clock.now()));
  });
  const device = new Device(engine, (_batch, paddedSize) => {
    estimator.record(paddedSize, clock.now() - dispatchedAtMs);
    dispatch();
  });

  function dropLate(): void {
    for (let head = queue.head(); head !== undefined; head = queue.head()) {
      if (head.enqueuedAtMs + objectiveMs > clock.now()) return;
      for (const { sink } of queue.take(1)) sink.reject(SHED);
    }
  }

  function leave(budgetMs: number): void {
    dispatchedAtMs = clock.now();
    if (budgetMs > estimator.worstMs && !isExplored()) {
      const batch = queue.take(explorationSize());
      device.run(batch, explored);
    } else device.run(queue.take(Math.min(maxBatchSize, estimator.largestWithin(budgetMs))));
  }

  function isExplored(): boolean {
    return explored === maxBatchSize && estimator.samples(explored) >= SAMPLES_PER_SIZE;
  }

  function explorationSize(): number {
    if (estimator.samples(explored) < SAMPLES_PER_SIZE) return explored;
    const grown =
      explored < LARGEST_ADDITIVE_SIZE ? explored + 1 : Math.ceil(explored * (1 + normal(random, 0.1, 0.05)));
    explored = Math.min(maxBatchSize, Math.max(explored, grown));
    return explored;
  }

  return {
    enqueue(item, sink) {
      queue.push({ item, sink, enqueuedAtMs: clock.now() });
      dispatch();
    },
    stop() {},
  };
};

import type { Arrivals } from "./arrivals.js";
import { BackgroundBound } from "./background-bound.js";
import type { BatchLimits } from "../engine/batch-limits.js";
import { planBatch, type BatchPlan } from "./batch-plan.js";
import type { BatchRunner } from "../engine/batch-runner.js";
import { bestRateSize } from "../decide/best-size.js";
import { latencyMs } from "../decide/latency.js";
import type { SchedulerConfig } from "./scheduler-parts.js";
import type { CostModel } from "../cost/cost-model.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/** The parts that a planner uses. */
export interface PlannerParts<Item, Result> {
  readonly config: Pick<SchedulerConfig, "engines" | "frames" | "maxLatencyMs" | "handoverMs">;
  readonly queue: RequestQueue<Item, Result>;
  readonly cost: CostModel;
  readonly limits: BatchLimits;
  readonly arrivals: Arrivals;
  readonly runner: BatchRunner<Item, Result>;
}

/** Finds the requests that may run together. How many of them run, and when, is decided by `decide`. */
export class BatchPlanner<Item, Result> {
  readonly #parts: PlannerParts<Item, Result>;
  readonly #background: BackgroundBound<Item, Result>;

  constructor(parts: PlannerParts<Item, Result>) {
    this.#parts = parts;
    this.#background = new BackgroundBound(parts);
  }

  /** Records that a request of this rank is about to join the queue. */
  arrives(rank: number, nowMs: number): void {
    this.#background.arrives(rank, nowMs);
  }

  /** Plans which requests may run with the leader, as far as memory and the bound on background requests allow. */
  plan(leader: QueuedRequest<Item, Result>, nowMs: number): BatchPlan<Item, Result> {
    const { config, queue, cost, limits, runner } = this.#parts;
    const hiddenMs = runner.load.batches.size < (config.engines ?? 1) ? 0 : cost.overhead.ms;
    const plan = planBatch(queue, leader, limits.rows, cost, { startMs: runner.load.freeAtMs(nowMs), hiddenMs });
    const fitting = limits.fitting(plan.volume);
    const inMemory = { ...plan, size: Math.min(plan.size, fitting), fullSize: fitting };
    const size = this.#background.rows(inMemory);
    // Urgent requests can always join. Without any, a plan that the bound has cut waits for nothing.
    return { ...inMemory, size, fullSize: queue.urgent === 0 && size < inMemory.size ? size : fitting };
  }

  /** When the plan may be dispatched without too much background work on the engine. */
  mayStartAtMs(plan: BatchPlan<Item, Result>, nowMs: number): number {
    return this.#background.mayStartAtMs(plan, nowMs);
  }

  /** The batch size with the best rate. */
  bestSize(volume: number): number {
    const { cost, limits } = this.#parts;
    return bestRateSize(cost, limits.timely(volume), volume, cost.overhead.hiddenMs);
  }
  /**
   * Predicted time to the answer of a request that arrives now, in milliseconds. Under overload, requests that arrive
   * while it waits lengthen its batch.
   * @param rowsAhead number of queued rows that run before it
   */
  latencyMs(volume: number, rowsAhead: number, isOverloaded: boolean, nowMs: number): number {
    const { cost, arrivals, runner } = this.#parts;
    const untilFreeMs = runner.load.freeAtMs(nowMs) - nowMs;
    const ratePerMs = isOverloaded ? arrivals.ratePerMs(nowMs) : 0;
    return latencyMs(cost, { untilFreeMs, rowsAhead, volume, size: this.bestSize(volume), ratePerMs });
  }
}

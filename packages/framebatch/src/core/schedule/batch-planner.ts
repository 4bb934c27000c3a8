import type { Arrivals } from "./arrivals.js";
import { BackgroundBound } from "./background-bound.js";
import { formBatch } from "./batch-former.js";
import { type BatchLimits, largestWithin } from "../engine/batch-limits.js";
import { planBatch, type BatchPlan } from "./batch-plan.js";
import type { BatchRunner } from "../engine/batch-runner.js";
import { sizeForAnswers, sizeForRate } from "./batch-size.js";
import type { SchedulerConfig } from "./scheduler-parts.js";
import type { CostModel } from "../cost/cost-model.js";
import { BACKGROUND } from "../queue/priority.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/** How much faster a single run can turn out to be than when it was measured last. */
const SINGLE_GAIN = 2;

/** The parts that a planner uses. */
export interface PlannerParts<Item, Result> {
  readonly config: Pick<SchedulerConfig, "engines" | "frames" | "maxLatencyMs" | "handoverMs">;
  readonly queue: RequestQueue<Item, Result>;
  readonly cost: CostModel;
  readonly limits: BatchLimits;
  readonly arrivals: Arrivals;
  readonly runner: BatchRunner<Item, Result>;
}

/** Chooses the members of a batch and its size. The release rule decides when it is dispatched. */
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
    const hiddenMs = runner.size < (config.engines ?? 1) ? 0 : runner.overhead.ms;
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

  /**
   * Number of the plan's requests to dispatch now. Measures two times again that would otherwise never be corrected: that
   * of a single request, because a batch pays compared with it, and a forgotten time of twice the number, because once
   * all larger sizes seem too slow, nothing shows that one pays.
   */
  size(plan: BatchPlan<Item, Result>, nowMs: number): number {
    const { cost, limits } = this.#parts;
    const { volume } = plan;
    const limit = Math.min(plan.size, this.#share(plan), limits.timely(volume));
    const size = this.#bestSizeOf(plan, limit, nowMs);
    if (this.#isInDoubt(size, volume)) return 1;
    const twice = Math.min(2 * size, limit);
    return twice > size && cost.isForgotten(twice, volume) ? twice : size;
  }

  /** The number of requests, up to `limit`, that minimises the time to their answers. */
  #bestSizeOf(plan: BatchPlan<Item, Result>, limit: number, nowMs: number): number {
    const { config, queue, cost, arrivals, runner } = this.#parts;
    const { leader, size: queued, volume } = plan;
    const backlog = { queued, limit, volume, hiddenMs: runner.overhead.hiddenMs };
    // Returning callers compete with requests that remain in the queue. With a latency objective, the rate decides how
    // many requests meet it. Both cases need the best rate.
    const isAlone = arrivals.isBurstAlone(leader.enqueuedAtMs);
    if ((!isAlone && arrivals.isClosedLoop) || config.maxLatencyMs !== undefined)
      return Math.min(this.#turn(plan), sizeForRate(cost, backlog));
    const ratePerMs = arrivals.ratePerMs(nowMs);
    return sizeForAnswers(cost, { ...backlog, isAlone, waiting: queue.size, ratePerMs });
  }

  /** Whether a batch would not pay if a single request took half as long as when it was measured. */
  #isInDoubt(size: number, volume: number): boolean {
    const { cost } = this.#parts;
    if (size === 1 || !cost.isKnown || cost.isSingleKnown) return false;
    return cost.predict(1, volume) / SINGLE_GAIN < cost.predict(size, volume) / size;
  }

  /**
   * Each engine's equal share of the plan's and the running requests. One engine takes them all if dividing them saves
   * less time than the messages of a run take.
   */
  #share({ size, volume }: BatchPlan<Item, Result>): number {
    const { config, cost, runner } = this.#parts;
    const all = size + runner.running.rows;
    const share = Math.ceil(all / (config.engines ?? 1));
    if (share === all || !cost.isKnown) return share;
    const savedMs = cost.predict(all, volume) - cost.predict(share, volume);
    return savedMs > runner.overhead.ms ? share : all;
  }

  /** Outside a round, the whole plan. In a round, an engine's share, or half of it if alternating runs are better. */
  #turn(plan: BatchPlan<Item, Result>): number {
    if (!this.#isRound(plan)) return plan.size;
    const share = this.#share(plan);
    const half = Math.ceil(share / 2);
    return share > 1 && this.#areTurnsBetter(half, share - half, plan.volume) ? half : share;
  }

  /**
   * Whether the plan is a complete round of a closed loop: all callers answered last have enqueued again, and the plan
   * holds the whole queue. No other request arrives before a batch ends.
   */
  #isRound({ size }: BatchPlan<Item, Result>): boolean {
    const { arrivals, queue, cost } = this.#parts;
    return arrivals.isClosedLoop && arrivals.haveReturned && queue.size === size && cost.isKnown;
  }

  /**
   * Whether two alternating runs finish sooner than one combined run. While one runs, the messages of the other are in
   * transit, and its callers handle their results and enqueue again. On the other hand, the fixed cost of a run is paid
   * twice.
   */
  #areTurnsBetter(first: number, second: number, volume: number): boolean {
    const { cost, runner, arrivals } = this.#parts;
    const all = first + second;
    const hiddenMs = 2 * runner.overhead.ms + all * arrivals.msPerReturn;
    const extraMs = cost.predict(first, volume) + cost.predict(second, volume) - cost.predict(all, volume);
    return extraMs <= hiddenMs;
  }

  /**
   * When the plan must be dispatched so that the engine does not wait for it. In a round, now: no other request can
   * arrive before a batch ends, and dispatching now is more punctual than any timer. But if one combined run is better
   * than alternating runs, the plan waits for the running batch to end, so that it can merge with its callers, until that run is overdue.
   */
  formAtMs(plan: BatchPlan<Item, Result>, nowMs: number): number {
    const { config, runner } = this.#parts;
    const freeAtMs = runner.load.freeAtMs(nowMs);
    if (!this.#isRound(plan)) return freeAtMs - (config.handoverMs ?? 0);
    const { size: queued, volume, leader } = plan;
    const { batches, rows } = runner.running;
    if (batches < (config.engines ?? 1) || freeAtMs > leader.dueMs) return nowMs;
    const others = Math.round(rows / batches);
    const isOneRunBest = this.bestSize(volume, queued + others) === queued + others;
    return isOneRunBest && !this.#areTurnsBetter(others, queued, volume) ? runner.load.overdueAtMs : nowMs;
  }

  /** The batch size with the best rate. */
  bestSize(volume: number, available = Infinity): number {
    const { cost, limits, runner } = this.#parts;
    const limit = Math.min(available, limits.timely(volume));
    return sizeForRate(cost, { queued: limit, limit, volume, hiddenMs: runner.overhead.hiddenMs });
  }

  /**
   * The largest number of rows, up to `size`, with which the leader meets its latency objective. Returns 0, so that the
   * leader is shed, if even one row is too late. Also returns 0 if the newest request would meet its own objective in
   * the whole batch, because shrinking the batch for one leader after another makes every request late.
   */
  sizeInTime(size: number, { leader, volume }: BatchPlan<Item, Result>, nowMs: number): number {
    const { queue, cost } = this.#parts;
    if (leader.objectiveAtMs === Infinity || leader.rank === BACKGROUND || !cost.isKnown) return size;
    const endMs = this.endMs(size, volume, nowMs);
    if (endMs <= leader.objectiveAtMs) return size;
    if (queue.newest()!.objectiveAtMs >= endMs) return 0;
    return largestWithin(size, (rows) => this.endMs(rows, volume, nowMs) <= leader.objectiveAtMs);
  }

  /** Predicted end of a batch of `size` rows that is dispatched now. */
  endMs(size: number, volume: number, nowMs: number): number {
    return this.#parts.runner.load.freeAtMs(nowMs) + this.#parts.cost.predict(size, volume);
  }

  /** Takes `size` rows of a plan out of the queue. Returns the extents that hold them all. */
  take(
    plan: BatchPlan<Item, Result>,
    size: number,
    take: (row: QueuedRequest<Item, Result>) => void,
  ): readonly number[] {
    return formBatch(this.#parts.queue, plan, size, take);
  }
}

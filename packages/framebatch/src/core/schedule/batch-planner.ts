import type { Arrivals } from "./arrivals.js";
import { formBatch } from "./batch-former.js";
import { type BatchLimits, largestWithin } from "../engine/batch-limits.js";
import { planBatch, type BatchPlan } from "./batch-plan.js";
import type { BatchRunner } from "../engine/batch-runner.js";
import { sizeForAnswers, sizeForRate } from "./batch-size.js";
import type { SchedulerConfig } from "./scheduler-parts.js";
import type { CostModel } from "../cost/cost-model.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/** What turns hide counts for more than they take, so that callers do not go back and forth between the two for a near tie. */
const WORTH_OF_HIDING = 1.25;

/** What a planner works with. */
export interface PlannerParts<Item, Result> {
  readonly config: Pick<SchedulerConfig, "engines" | "maxLatencyMs">;
  readonly queue: RequestQueue<Item, Result>;
  readonly cost: CostModel;
  readonly limits: BatchLimits;
  readonly arrivals: Arrivals;
  readonly runner: BatchRunner<Item, Result>;
}

/** Decides who rides in a batch, and how many. When it is sent is not its business. */
export class BatchPlanner<Item, Result> {
  readonly #parts: PlannerParts<Item, Result>;

  constructor(parts: PlannerParts<Item, Result>) {
    this.#parts = parts;
  }

  /** Who may ride with the leader, as far as there is memory for them. */
  plan(leader: QueuedRequest<Item, Result>, nowMs: number): BatchPlan<Item, Result> {
    const { config, queue, cost, limits, runner } = this.#parts;
    const hiddenMs = runner.size < (config.engines ?? 1) ? 0 : runner.overheadMs;
    const plan = planBatch(queue, leader, limits.rows, cost, { startMs: runner.freeAtMs(nowMs), hiddenMs });
    return { ...plan, size: Math.min(plan.size, limits.fitting(plan.volume)) };
  }

  /** How many of a plan leave now: as many as its requests get their answers soonest with. */
  size(plan: BatchPlan<Item, Result>, nowMs: number): number {
    const { config, queue, cost, limits, arrivals } = this.#parts;
    const { leader, size: queued, volume } = plan;
    const limit = Math.min(queued, limits.timely(volume));
    // Callers that come back compete with those left behind, and with an objective the rate decides how many meet it.
    if (arrivals.isClosedLoop || config.maxLatencyMs !== undefined)
      return Math.min(this.#turn(plan), sizeForRate(cost, queued, limit, volume));
    const isAlone = queue.size === queued && arrivals.isBurstAlone(leader.enqueuedAtMs);
    return sizeForAnswers(cost, {
      queued,
      limit,
      volume,
      isAlone,
      waiting: queue.size,
      ratePerMs: arrivals.ratePerMs(nowMs),
    });
  }

  /** An equal share for each engine of the requests that wait and run. */
  share(queued: number): number {
    const { config, runner } = this.#parts;
    return Math.ceil((queued + runner.running.rows) / (config.engines ?? 1));
  }

  /** Whether all callers of a closed loop that were answered have asked again: nobody else comes before a batch ends. */
  isRound({ size }: BatchPlan<Item, Result>): boolean {
    const { arrivals, queue, cost } = this.#parts;
    return arrivals.isClosedLoop && arrivals.haveReturned && queue.size === size && cost.isKnown;
  }

  /**
   * Whether two runs that take turns are done sooner than one of both: while the one runs, the messages of the other are on their way,
   * and its callers hear and ask again. The fixed part of a run is paid twice.
   */
  areTurnsBetter(first: number, second: number, volume: number): boolean {
    const { cost, runner, arrivals } = this.#parts;
    const all = first + second;
    const hiddenMs = 2 * runner.overheadMs + all * arrivals.msPerReturn;
    const extraMs = cost.predict(first, volume) + cost.predict(second, volume) - cost.predict(all, volume);
    return extraMs <= WORTH_OF_HIDING * hiddenMs;
  }

  /** In a round, half of the callers where turns are better; else all. */
  #turn(plan: BatchPlan<Item, Result>): number {
    if (!this.isRound(plan)) return plan.size;
    const share = this.share(plan.size);
    const half = Math.ceil(share / 2);
    return share > 1 && this.areTurnsBetter(half, share - half, plan.volume) ? half : share;
  }

  /** The size of batch with the best rate. */
  bestSize(volume: number, available = Infinity): number {
    const { cost, limits } = this.#parts;
    const limit = Math.min(available, limits.timely(volume));
    return sizeForRate(cost, limit, limit, volume);
  }

  /**
   * How many of `size` may ride so that the leader meets its objective; 0 where even one is too many. A batch shrinks for its leader
   * only if no later request could ride in the whole one: shrinking for one and then for the next makes all late.
   */
  sizeInTime(size: number, { leader, volume }: BatchPlan<Item, Result>, nowMs: number): number {
    const { queue, cost } = this.#parts;
    const endMs = this.endMs(size, volume, nowMs);
    if (endMs <= leader.objectiveAtMs || !cost.isKnown) return size;
    if (queue.newest()!.objectiveAtMs >= endMs) return 0;
    return largestWithin(size, (rows) => this.endMs(rows, volume, nowMs) <= leader.objectiveAtMs);
  }

  /** When a batch of so many would end if it were sent now. */
  endMs(size: number, volume: number, nowMs: number): number {
    return this.#parts.runner.freeAtMs(nowMs) + this.#parts.cost.predict(size, volume);
  }

  /** Takes `size` rows of a plan out of the queue. Returns the sizes that hold them all. */
  take(
    plan: BatchPlan<Item, Result>,
    size: number,
    take: (row: QueuedRequest<Item, Result>) => void,
  ): readonly number[] {
    return formBatch(this.#parts.queue, plan, size, this.#parts.cost, take);
  }
}

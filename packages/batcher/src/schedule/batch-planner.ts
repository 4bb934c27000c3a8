import type { Arrivals } from "./arrivals.js";
import type { BatchLimits } from "../engine/batch-limits.js";
import { type BatchPlan, planBatch } from "./batch-plan.js";
import type { BatchRunner } from "../engine/batch-runner.js";
import { bestRateSize } from "../decide/best-size.js";
import type { CostModel } from "../cost/cost-model.js";
import { BACKGROUND, type QueuedRequest } from "../queue/request.js";
import type { RequestQueue } from "../queue/request-queue.js";
import type { RunTimes } from "../decide/situation.js";
import { type Clock, FRAME_MS, type FrameClock } from "@framebatch/host/clock.js";
import { MIN_WAIT_MS } from "../decide/decide.js";
import { enclosing, volumeOf } from "../queue/shape.js";
import type { Guard } from "../errors/guard.js";
import type { AdmissionControl } from "../requests/admission-control.js";
import type { RequestTracker } from "../requests/request-tracker.js";
import type { ReleaseRule } from "../decide/release-rules.js";

/** The options of `BatcherConfig` that the scheduler uses. */
export interface SchedulerConfig {
  readonly clock: Clock;
  readonly frames: FrameClock;
  /** `off` dispatches each request alone, at once. */
  readonly release: ReleaseRule | "off";
  readonly engines?: number;
  /** Latency objective, from the call to the result, in milliseconds. @default none */
  readonly maxLatencyMs?: number;
  /** For `window` only: maximum queue time of the oldest request, in milliseconds. @default 10 */
  readonly maxQueueDelayMs?: number;
  /**
   * How long before the engine is free the next batch is dispatched, in milliseconds: the time of a message.
   * @default 0
   */
  readonly handoverMs?: number;
}

/** The parts that a scheduler uses. The batcher owns them. */
export interface SchedulerParts<Item, Result> extends PlannerParts<Item, Result> {
  readonly config: SchedulerConfig;
  readonly planner: BatchPlanner<Item, Result>;
  readonly admission: AdmissionControl;
  readonly guard: Guard;
  readonly tracker: RequestTracker<Item, Result>;
}

/** The parts that a planner uses. */
interface PlannerParts<Item, Result> {
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

/** A request that arrives now, and what runs before it. */
interface Newcomer {
  /** Time until the engine could start another batch, in milliseconds. */
  readonly untilFreeMs: number;
  /** Number of queued rows, which are assumed to be as large as its own. */
  readonly rowsAhead: number;
  /** Volume of its own row. */
  readonly volume: number;
  /** The batch size with the best rate. */
  readonly size: number;
  /** Rate at which requests arrive and lengthen its batch while it waits, in requests per millisecond. */
  readonly ratePerMs: number;
}

/** Predicted time to the answer of a request that arrives now, in milliseconds. */
export function latencyMs(times: RunTimes, { untilFreeMs, rowsAhead, volume, size, ratePerMs }: Newcomer): number {
  const waitMs = untilFreeMs + Math.floor(rowsAhead / size) * times.shortest(size, volume);
  const joining = Math.round(waitMs * ratePerMs);
  return waitMs + times.shortest(Math.min(size, (rowsAhead % size) + 1 + joining), volume);
}

/** A time that is longer than that of one item by at most this share is that of one item: predictions are no better. */
const SAME_SHARE = 0.1;

/** Background requests join a batch of more urgent ones only while they lengthen it by at most this share. */
const GUEST_SHARE = 0.5;

/**
 * Bounds the background work on the engine. An urgent request that arrives waits for what is in flight, so the
 * background requests in flight together take at most a frame, or as long as one of them if that is longer. In a hidden
 * tab nobody waits, and there is no bound.
 */
class BackgroundBound<Item, Result> {
  readonly #parts: PlannerParts<Item, Result>;
  /** Time of the background requests that had run when the first of the queued urgent requests arrived. */
  #doneMs = 0;

  constructor(parts: PlannerParts<Item, Result>) {
    this.#parts = parts;
  }

  /** Records that a request of this rank is about to join the queue. */
  arrives(rank: number, nowMs: number): void {
    const { queue, runner } = this.#parts;
    if (rank === BACKGROUND || queue.urgent > 0) return;
    this.#doneMs = runner.load.backgroundMs - runner.load.backgroundLeftMs(nowMs);
  }

  /** Number of the plan's requests that may run together: the urgent ones, and as many others as the bound allows. */
  rows(plan: BatchPlan<Item, Result>): number {
    const { queue } = this.#parts;
    const urgent = plan.lanes.reduce((sum, lane) => sum + lane.requests.urgent, 0);
    if (plan.leader.rank === BACKGROUND) {
      // Its turn has come by its age, before the urgent requests. No other background request joins it.
      return Math.min(
        plan.size,
        queue.urgent > 0 ? urgent + 1 : Math.max(1, this.#within(plan, this.#runMs(plan.volume))),
      );
    }
    if (urgent >= plan.size) return plan.size;
    return Math.min(plan.size, Math.max(urgent, this.#within(plan, this.#guestsEndMs(plan, urgent))));
  }

  /** When the plan may be dispatched. Only one of background requests alone has to wait. */
  mayStartAtMs({ leader, size, volume }: BatchPlan<Item, Result>, nowMs: number): number {
    const { queue, cost, runner } = this.#parts;
    if (leader.rank < BACKGROUND || queue.urgent > 0) return nowMs;
    const leftMs = runner.load.backgroundLeftMs(nowMs);
    const waitMs = leftMs + (cost.isKnown ? cost.predict(size, volume) : FRAME_MS) - this.#boundMs(volume);
    return waitMs > MIN_WAIT_MS ? nowMs + Math.min(waitMs, leftMs) : nowMs;
  }

  #within({ volume }: BatchPlan<Item, Result>, ms: number): number {
    const { limits } = this.#parts;
    return ms === Infinity ? limits.fitting(volume) : limits.within(volume, ms);
  }

  /** The time of a batch of urgent requests and the background requests that join it. */
  #guestsEndMs({ lanes }: BatchPlan<Item, Result>, urgent: number): number {
    const { cost, runner } = this.#parts;
    const hosts = lanes.filter(({ requests }) => requests.urgent > 0);
    const volume = volumeOf(hosts.map(({ extents }) => extents).reduce(enclosing));
    const urgentMs = cost.predict(urgent, volume);
    const leftMs = this.#boundMs(volume) - (runner.load.backgroundMs - this.#doneMs);
    return urgentMs + Math.max(0, Math.min(GUEST_SHARE * urgentMs, leftMs));
  }

  /** The time of a run of background requests alone, so that the next one can follow it without a gap. */
  #runMs(volume: number): number {
    const { config, cost } = this.#parts;
    return Math.max(cost.predict(1, volume), this.#boundMs(volume) - (config.handoverMs ?? 0));
  }

  #boundMs(volume: number): number {
    const { config, cost } = this.#parts;
    if (config.frames.isHidden()) return Infinity;
    const frameMs = config.frames.grid()?.periodMs ?? FRAME_MS;
    return Math.max(frameMs, (1 + SAME_SHARE) * cost.predict(1, volume));
  }
}

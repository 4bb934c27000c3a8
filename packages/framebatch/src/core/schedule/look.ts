import type { BatchPlan } from "./batch-plan.js";
import type { FrameGrid } from "../clock.js";
import { BACKGROUND } from "../queue/priority.js";
import type { ReleaseContext } from "./release/context.js";
import type { SchedulerParts } from "./scheduler-parts.js";
import type { WaitPayoff } from "./wait-payoff.js";

/**
 * The engine counts as busy when the requests of one frame, even as one batch, take more than this share of the frame.
 */
const BUSY_SHARE = 0.9;

/**
 * A second run is cheap if its fixed cost is at most this share of the first run's time. Batches then do not wait to
 * save one.
 */
const CHEAP_SHARE = 1 / 4;

const DEFAULT_QUEUE_DELAY_MS = 10;

/** What a release rule sees when the scheduler looks at the queue. Computes only what the rule reads. */
export class Look<Item, Result> implements ReleaseContext {
  readonly #parts: SchedulerParts<Item, Result>;
  readonly #waits: WaitPayoff;
  readonly #frameMarginMs: number;
  readonly plan: BatchPlan<Item, Result>;
  readonly nowMs: number;

  /** @param frameMarginMs see `FrameMargin` */
  constructor(
    parts: SchedulerParts<Item, Result>,
    waits: WaitPayoff,
    frameMarginMs: number,
    plan: BatchPlan<Item, Result>,
    nowMs: number,
  ) {
    this.#parts = parts;
    this.#waits = waits;
    this.#frameMarginMs = frameMarginMs;
    this.plan = plan;
    this.nowMs = nowMs;
  }

  get queued(): number {
    return this.plan.size;
  }

  get maxBatchSize(): number {
    return this.plan.fullSize;
  }

  isFull(): boolean {
    return this.queued >= this.#parts.planner.bestSize(this.plan.volume);
  }

  get othersWait(): boolean {
    const { queue } = this.#parts;
    return (this.plan.leader.rank < BACKGROUND ? queue.urgent : queue.size) > this.queued;
  }

  get startMs(): number {
    return this.#parts.runner.load.freeAtMs(this.nowMs);
  }

  get formAtMs(): number {
    return this.#parts.planner.formAtMs(this.plan, this.nowMs);
  }

  get overdueAtMs(): number {
    return this.#parts.runner.load.overdueAtMs;
  }

  get isHidden(): boolean {
    return this.#parts.config.frames.isHidden();
  }

  predictMs(size: number): number {
    return this.#parts.cost.predict(size, this.plan.volume);
  }

  get marginMs(): number {
    return 2 * this.#parts.cost.deviation(this.queued, this.plan.volume) + this.#frameMarginMs;
  }

  isEngineBusy(periodMs: number): boolean {
    const { arrivals } = this.#parts;
    const perFrame = Math.max(1, Math.round(arrivals.ratePerMs(this.nowMs) * periodMs));
    return this.predictMs(Math.min(this.maxBatchSize, perFrame)) > BUSY_SHARE * periodMs;
  }

  get grid(): FrameGrid | null {
    const { arrivals, config, cost } = this.#parts;
    return arrivals.isClosedLoop || !cost.isKnown ? null : config.frames.grid();
  }

  doesWaitPayOff(): boolean {
    const isCheap = this.#parts.cost.line.fixedMs <= CHEAP_SHARE * this.predictMs(this.queued);
    return !isCheap && this.#waits.doPayOff(this.plan.leader.enqueuedAtMs);
  }

  get mustStartByMs(): number {
    return this.plan.leader.deadlineMs - this.predictMs(this.queued);
  }

  get targetFrameMs(): number | null {
    return this.#waits.targetFrameMs;
  }

  get windowClosesAtMs(): number {
    const { config, queue } = this.#parts;
    return queue.oldest()!.waitingSinceMs + (config.maxQueueDelayMs ?? DEFAULT_QUEUE_DELAY_MS);
  }
}

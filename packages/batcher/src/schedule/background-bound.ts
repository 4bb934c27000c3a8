import type { BatchPlan } from "./batch-plan.js";
import { FRAME_MS } from "@framebatch/host/clock.js";
import { MIN_WAIT_MS } from "../decide/decision.js";
import { BACKGROUND } from "../queue/priority.js";
import { enclosing, volumeOf } from "../queue/shape.js";
import type { PlannerParts } from "./batch-planner.js";

/** A time that is longer than that of one item by at most this share is that of one item: predictions are no better. */
const SAME_SHARE = 0.1;

/** Background requests join a batch of more urgent ones only while they lengthen it by at most this share. */
const GUEST_SHARE = 0.5;

/**
 * Bounds the background work on the engine. An urgent request that arrives waits for what is in flight, so the background
 * requests in flight together take at most a frame, or as long as one of them if that is longer. In a hidden tab nobody
 * waits, and there is no bound.
 */
export class BackgroundBound<Item, Result> {
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

import type { BatchPlan } from "./batch-plan.js";
import type { Situation } from "../decide/situation.js";
import { BACKGROUND, type CompletedBatch } from "../queue/request.js";
import type { Rule } from "../decide/release-rules.js";
import type { SchedulerParts } from "./batch-planner.js";
import type { Decision } from "../decide/decide.js";

const DEFAULT_QUEUE_DELAY_MS = 10;

/** What the scheduler knows besides its parts. */
export interface SchedulerState {
  readonly waits: WaitPayoff;
  readonly margin: FrameMargin;
  readonly isFlushed: boolean;
}

/** Collects the facts that `decide` needs, as they are now. */
export function situationNow<Item, Result>(
  { config, queue, cost, limits, arrivals, planner, runner }: SchedulerParts<Item, Result>,
  { waits, margin, isFlushed }: SchedulerState,
  plan: BatchPlan<Item, Result>,
  nowMs: number,
  { waitsFor }: Pick<Rule, "waitsFor">,
): Situation {
  const { leader, size, fullSize, volume } = plan;
  const { frames, engines = 1, handoverMs = 0, maxQueueDelayMs = DEFAULT_QUEUE_DELAY_MS } = config;
  const { running, load } = runner;
  const { overhead } = cost;
  const { isClosedLoop, haveReturned, msPerReturn } = arrivals;
  const mayWait = waitsFor === "frame" && cost.isKnown && !isClosedLoop;
  return {
    nowMs,
    times: cost,
    leader,
    isBackground: leader.rank === BACKGROUND,
    isBurstAlone: arrivals.isBurstAlone(leader.enqueuedAtMs),
    size,
    fullSize,
    timelySize: limits.timely(volume),
    volume,
    mayStartAtMs: planner.mayStartAtMs(plan, nowMs),
    queued: queue.size,
    urgent: queue.urgent,
    windowClosesAtMs: (queue.oldest() ?? leader).waitingSinceMs + maxQueueDelayMs,
    hasObjective: config.maxLatencyMs !== undefined,
    newestObjectiveAtMs: queue.newest()?.objectiveAtMs ?? Infinity,
    isFlushed,
    engines,
    batchesRunning: running.batches,
    rowsRunning: running.rows,
    freeAtMs: load.freeAtMs(nowMs),
    overdueAtMs: load.overdueAtMs,
    overheadMs: overhead.ms,
    hiddenMs: overhead.hiddenMs,
    handoverMs,
    ratePerMs: arrivals.ratePerMs(nowMs),
    isClosedLoop,
    haveReturned,
    msPerReturn,
    isHidden: frames.isHidden(),
    grid: mayWait ? frames.grid() : null,
    frameMarginMs: margin.ms,
    targetFrameMs: waits.targetFrameMs,
    doesWaitPayOff: waits.doPayOff,
  };
}

/** Share of the margin that remains after each batch that has not missed its frame. */
const KEPT = 0.995;

/** A frame that a batch waits for. Times in milliseconds. */
interface Aim {
  readonly dispatchedAtMs: number;
  readonly frameMs: number;
  readonly periodMs: number;
}

/**
 * The time that a batch must be ready before the frame that it waits for. Answers come late just before a frame,
 * because the page is busy with it, and a wait that misses its frame was not free. So the margin grows by as much as a
 * batch was late, to a frame at most, and shrinks slowly with each other batch: one in some hundred tries a shorter
 * margin. With a margin of a frame no batch waits, so those that wait for none must shrink it, too.
 */
export class FrameMargin {
  /** The margin, in milliseconds. Only this class changes it. */
  ms = 0;
  /** The aim of the newest batch that waited for a frame; `null` once it is answered. Only this class changes it. */
  aim: Aim | null = null;

  /** Records that a batch is dispatched that has waited for a frame. */
  dispatched(aim: Aim): void {
    this.aim = aim;
  }

  /** Records that a batch was answered. */
  answered({ dispatchedAtMs, completedAtMs }: Pick<CompletedBatch, "dispatchedAtMs" | "completedAtMs">): void {
    const aim = this.aim?.dispatchedAtMs === dispatchedAtMs ? this.aim : null;
    if (aim !== null) this.aim = null;
    if (aim === null || completedAtMs <= aim.frameMs) this.ms *= KEPT;
    else this.ms = Math.min(this.ms + completedAtMs - aim.frameMs, aim.periodMs);
  }
}

/** Weight of the newest opportunity in the average. */
const PAYOFF_SMOOTHING = 1 / 16;

/**
 * Minimum average of joins per opportunity with which a wait pays off: a caller alone may join its own last request.
 */
const MIN_JOINS = 3 / 4;

/** Maximum joins counted per opportunity, so that the effect of a single crowd fades soon. */
const MAX_JOINS = 2;

/**
 * Learns whether free waits pay off. An opportunity is a time span in which a batch could wait for more requests at no
 * visible cost. Independent requests that arrive within it count whether or not the batch waits, so no wait is needed
 * only to learn.
 */
export class WaitPayoff {
  #joinsEach = 0;
  #joins = 0;
  #untilMs = -Infinity;
  /** The frame that the wait in progress aims at; `null` if no wait is in progress. Only this class changes it. */
  targetFrameMs: number | null = null;

  /** Whether to take a free wait. */
  get doPayOff(): boolean {
    return this.#joinsEach >= MIN_JOINS;
  }

  /** Records a request whose caller was not waiting for an answer. */
  arrived(nowMs: number): void {
    if (nowMs <= this.#untilMs) this.#joins += 1;
  }

  /** Records a decision. */
  decided({ action, free }: Decision): void {
    if (free !== null && this.targetFrameMs === null) this.#opened(free.untilMs);
    if (action === "wait") this.targetFrameMs ??= free?.frameMs ?? null;
    else this.ended();
  }

  /** Records the end of the wait in progress. */
  ended(): void {
    this.targetFrameMs = null;
  }

  /** Records that a batch may wait until `untilMs`. Ends the previous opportunity. */
  #opened(untilMs: number): void {
    this.#joinsEach += PAYOFF_SMOOTHING * (Math.min(this.#joins, MAX_JOINS) - this.#joinsEach);
    this.#joins = 0;
    this.#untilMs = untilMs;
  }
}

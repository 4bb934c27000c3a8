import type { BatchPlan } from "./batch-plan.js";
import type { Situation } from "../decide/situation.js";
import type { FrameMargin } from "./frame-margin.js";
import { BACKGROUND } from "../queue/priority.js";
import type { SchedulerParts } from "./scheduler-parts.js";
import type { WaitPayoff } from "./wait-payoff.js";

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
): Situation {
  const { leader, size, fullSize, volume } = plan;
  const { frames, engines = 1, handoverMs = 0, maxQueueDelayMs = DEFAULT_QUEUE_DELAY_MS } = config;
  const { running, load } = runner;
  const { overhead } = cost;
  const { isClosedLoop, haveReturned, msPerReturn } = arrivals;
  const mayWait = config.release === "frame" && cost.isKnown && !isClosedLoop;
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

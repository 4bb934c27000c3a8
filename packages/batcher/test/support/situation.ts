import type { RunTimes, Situation } from "../../src/decide/situation.js";

/** Facts that differ from those of `situation`. */
export type Facts = Partial<Omit<Situation, "times" | "leader">> & {
  readonly times?: Partial<RunTimes>;
  readonly leader?: Partial<Situation["leader"]>;
};

/** Runs of 8 ms and 1 ms per row, known exactly. */
export const TIMES: RunTimes = {
  isKnown: true,
  line: { fixedMs: 8 },
  predict: (size) => 8 + size,
  shortest: (size) => 8 + size,
  deviation: () => 0,
  relativeError: () => 0,
  probe: (best) => best,
  sizesUpTo: (limit) => Array.from({ length: limit }, (_, index) => index + 1),
};

/** One queued request at 1 ms, a free engine, frames 16 ms apart, independent callers, and runs as `TIMES` has them. */
export function situation({ times, leader, ...facts }: Facts): Situation {
  const { nowMs = 1, size = 1 } = facts;
  return {
    nowMs,
    times: { ...TIMES, ...times },
    leader: { dueMs: Infinity, deadlineMs: Infinity, objectiveAtMs: Infinity, ...leader },
    isBackground: false,
    isBurstAlone: false,
    size,
    fullSize: 8,
    timelySize: 8,
    volume: 1,
    mayStartAtMs: nowMs,
    queued: size,
    urgent: size,
    windowClosesAtMs: 11,
    hasObjective: false,
    newestObjectiveAtMs: Infinity,
    isFlushed: false,
    engines: 1,
    batchesRunning: 0,
    rowsRunning: 0,
    freeAtMs: nowMs,
    overdueAtMs: Infinity,
    overheadMs: 0,
    hiddenMs: 0,
    handoverMs: 0,
    ratePerMs: 0,
    isClosedLoop: false,
    haveReturned: false,
    msPerReturn: 0,
    isHidden: false,
    grid: { originMs: 0, periodMs: 16 },
    frameMarginMs: 0,
    targetFrameMs: null,
    doesWaitPayOff: true,
    ...facts,
  };
}

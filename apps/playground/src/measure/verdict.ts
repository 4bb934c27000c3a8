import { formatMs, formatNumber, formatShare, formatTimes } from "../format.js";
import { isComputeBound, measuredBatchCost } from "./batch-cost.js";
import type { Comparison } from "./compare.js";
import type { Quantile } from "./latency-statistics.js";

/** A ratio this close to 1 is no difference that anybody notices. */
const NOTICEABLE = 1.1;

/** Nor is such a difference in the share of dropped frames. */
const NOTICEABLE_DROPS = 0.05;

/** A lane that answers this share of what is asked in each painted frame keeps up with it. */
const KEEPS_UP = 0.9;

/**
 * What a comparison has shown:
 * - `pays`, `loses`: batching serves more, or fewer, predictions, and chance hardly explains it.
 * - `tie`: any difference is too small to notice.
 * - `keeps-up`: the load is so light that both ways serve all of it.
 * - `unclear`: the slices scatter too much to tell.
 */
export type Finding = "pays" | "loses" | "tie" | "keeps-up" | "unclear";

export function findingOf(comparison: Comparison): Finding {
  const { value, low, high } = comparison.ratio;
  if (bothKeepUp(comparison)) return "keeps-up";
  if (!isNoticeable(value)) return isNoticeable(low) && isNoticeable(high) ? "unclear" : "tie";
  if (low <= 1 && high >= 1) return "unclear";
  return value > 1 ? "pays" : "loses";
}

/** Says in plain words what a comparison showed, also where batching does not pay. */
export function describeComparison(comparison: Comparison): string {
  switch (findingOf(comparison)) {
    case "keeps-up":
      return `Both ways keep up with this load, and ${describeWait(comparison)} More callers would ask more of them.`;
    case "tie":
      return describeTie(comparison);
    case "unclear":
      return `This run shows no clear winner: batching serves ${describeRange(comparison)} as many predictions. Other work on the device may disturb it, so compare once more.`;
    case "loses":
      return `${describeBound(comparison) ?? "Batching does not pay on this device."} It serves ${formatShare(comparison.ratio.value)} of the predictions that single requests reach. Keep size 1.`;
    case "pays":
      return `On this device batching serves ${formatTimes(comparison.ratio.value)} as many predictions, and ${describeWait(comparison)}${describeDrops(comparison)}`;
  }
}

/** "5.8 to 6.4 times": where the true ratio lies, in 95 of 100 such comparisons. */
export function describeRange({ ratio: { low, high } }: Pick<Comparison, "ratio">): string {
  return `${formatNumber(low)} to ${formatTimes(high)}`;
}

/** "12 ms", or "at least 1.2 s" where too many waits were cut off to know more. */
export function describeQuantile({ ms, isAtLeast }: Quantile): string {
  return isAtLeast ? `at least ${formatMs(ms)}` : formatMs(ms);
}

/** "64 callers that each ask again at once" */
export function describeLoad({ load }: Pick<Comparison, "load">): string {
  const callers = load.callers === 1 ? "one caller that asks" : `${load.callers} callers that each ask`;
  return `${callers} ${load.pace === "continuous" ? "again at once" : "once a frame"}`;
}

function bothKeepUp({ load, batched, single }: Comparison): boolean {
  return load.pace === "frame" && Math.min(batched.perFrame, single.perFrame) >= KEEPS_UP * load.callers;
}

function isNoticeable(ratio: number): boolean {
  return Math.max(ratio, 1 / ratio) >= NOTICEABLE;
}

function describeTie(comparison: Comparison): string {
  const rate = `both ways serve about ${formatNumber(comparison.single.perSecond)} predictions per second`;
  const bound = describeBound(comparison);
  if (bound !== null) return `${bound} Batching does not pay: ${rate}. Keep size 1.`;
  return `Batching changes little here: ${rate}, and ${describeWait(comparison)}`;
}

/** Why batching cannot pay, where run times show it. */
function describeBound({ batched: { stats } }: Comparison): string | null {
  const cost = measuredBatchCost(stats);
  if (cost === null || !isComputeBound(cost)) return null;
  return `This model is compute-bound here: a batch of ${cost.size} takes ${formatTimes(cost.times)} as long as one item.`;
}

function describeWait({ batched, single }: Comparison): string {
  const [before, after] = [single.waits.p50, batched.waits.p50];
  const ratio = before.ms / Math.max(after.ms, Number.MIN_VALUE);
  if (!isNoticeable(ratio)) return `the median wait stays at about ${describeQuantile(after)}.`;
  const change = ratio > 1 ? "falls" : "rises";
  return `the median wait ${change} from ${describeQuantile(before)} to ${describeQuantile(after)}.`;
}

/** The price or the bonus in painted frames, where there is one. */
function describeDrops({ batched, single }: Comparison): string {
  if (Math.abs(batched.droppedFrames - single.droppedFrames) < NOTICEABLE_DROPS) return "";
  return ` It drops ${formatShare(batched.droppedFrames)} of the frames, against ${formatShare(single.droppedFrames)} without.`;
}

import { formatMs, formatNumber, formatShare, formatTimes } from "../format.js";
import type { Comparison, LaneName, SliceResult } from "./compare.js";
import type { Quantile } from "./latency-statistics.js";

/** A ratio this close to 1 is no difference that anybody notices. */
const NOTICEABLE = 1.1;

/** Nor is such a difference in the share of dropped frames. */
const NOTICEABLE_DROPS = 0.05;

/** A lane that answers this share of what is asked in each painted frame keeps up with it. */
const KEEPS_UP = 0.9;

/** Says in plain words what a comparison showed, also where batching does not pay. */
export function describeComparison(comparison: Comparison): string {
  const { batched, single, slices } = comparison;
  const ratio = batched.perSecond / Math.max(single.perSecond, Number.MIN_VALUE);
  if (bothKeepUp(comparison)) {
    return `Both ways keep up with this load, and ${describeWait(comparison)} More tiles would ask more of them.`;
  }
  if (!isNoticeable(ratio)) {
    return `Here batching changes little: both ways serve about ${formatNumber(single.perSecond)} predictions per second, and ${describeWait(comparison)}`;
  }
  if (!isConsistent(slices, ratio)) {
    return "This run shows no clear winner: its slices disagree. Other work on the device may disturb it, so compare once more.";
  }
  if (ratio < 1) {
    return `Here batching does not pay: it serves ${formatShare(ratio)} of the predictions that single requests reach. Keep it off for this model on this device.`;
  }
  return `Here batching serves ${formatTimes(ratio)} as many predictions, and ${describeWait(comparison)}${describeDrops(comparison)}`;
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

/** Whether all pairs of neighbouring slices but one show the difference the same way. */
function isConsistent(slices: readonly SliceResult[], ratio: number): boolean {
  const rates = (lane: LaneName): number[] =>
    slices.filter((slice) => slice.lane === lane).map((slice) => slice.perSecond);
  const single = rates("single");
  const dissenting = rates("batched").filter((rate, pair) => rate > (single[pair] ?? 0) !== ratio > 1);
  return dissenting.length <= 1;
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

import { formatMs, formatNumber, formatShare, formatTimes } from "../format.js";
import { isComputeBound, measuredBatchCost } from "./batch-cost.js";
import type { Comparison } from "./compare.js";
import type { Quantile } from "./latency-statistics.js";

/** Minimum ratio that counts as a noticeable difference. */
const NOTICEABLE = 1.1;

/** Minimum noticeable difference in the share of dropped frames. */
const NOTICEABLE_DROPS = 0.05;

/** A lane keeps up if it answers at least this share of the requests in each painted frame. */
const KEEPS_UP = 0.9;

/**
 * The result of a comparison:
 * - `pays`, `loses`: batching serves more, or fewer, predictions, and the difference is unlikely to be chance.
 * - `tie`: any difference is too small to notice.
 * - `keeps-up`: the load is so light that both lanes serve all of it.
 * - `unclear`: the slices vary too much.
 */
export type Finding = "pays" | "loses" | "tie" | "keeps-up" | "unclear";

export function findingOf(comparison: Comparison): Finding {
  const { value, low, high } = comparison.ratio;
  if (bothKeepUp(comparison)) return "keeps-up";
  if (!isNoticeable(value)) return isNoticeable(low) && isNoticeable(high) ? "unclear" : "tie";
  if (low <= 1 && high >= 1) return "unclear";
  return value > 1 ? "pays" : "loses";
}

/** Describes the result of a comparison in a sentence, also if batching does not pay off. */
export function describeComparison(comparison: Comparison): string {
  switch (findingOf(comparison)) {
    case "keeps-up":
      return `Both ways keep up with this load, and ${describeWait(comparison)} Add callers to increase the load.`;
    case "tie":
      return describeTie(comparison);
    case "unclear":
      return `This run shows no clear winner: batching serves ${describeRange(comparison)} as many predictions. Other work on the device may disturb the measurement, so compare again.`;
    case "loses":
      return `${describeBound(comparison) ?? "Batching does not pay off on this device."} It serves ${formatShare(comparison.ratio.value)} of the predictions of single requests. Turn batching off.`;
    case "pays":
      return `On this device batching serves ${formatTimes(comparison.ratio.value)} as many predictions, and ${describeWait(comparison)}${describeDrops(comparison)}`;
  }
}

/** The 95 % confidence interval of the ratio: "5.8 to 6.4 times". */
export function describeRange({ ratio: { low, high } }: Pick<Comparison, "ratio">): string {
  return `${formatNumber(low)} to ${formatTimes(high)}`;
}

/** Formats a quantile: "12 ms", or "at least 1.2 s" if too many requests were cut off. */
export function describeQuantile({ ms, isAtLeast }: Quantile): string {
  return isAtLeast ? `at least ${formatMs(ms)}` : formatMs(ms);
}

/** Describes a load: "64 callers, each sending its next request immediately". */
export function describeLoad({ load }: Pick<Comparison, "load">): string {
  const callers =
    load.callers === 1
      ? "one caller, sending its next request"
      : `${load.callers} callers, each sending its next request`;
  return `${callers} ${load.pace === "continuous" ? "immediately" : "at the next frame"}`;
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
  if (bound !== null) return `${bound} Batching does not pay off: ${rate}. Turn it off.`;
  return `Batching changes little here: ${rate}, and ${describeWait(comparison)}`;
}

/** Explains why batching cannot pay off, if the run times show it. */
function describeBound({ batched: { stats } }: Comparison): string | null {
  const cost = measuredBatchCost(stats);
  if (cost === null || !isComputeBound(cost)) return null;
  return `This model is compute-bound here: a batch of ${cost.size} takes ${formatTimes(cost.times)} as long as one item.`;
}

function describeWait({ batched, single }: Comparison): string {
  const [before, after] = [single.waits.p50, batched.waits.p50];
  const ratio = before.ms / Math.max(after.ms, Number.MIN_VALUE);
  if (!isNoticeable(ratio)) return `the median latency stays at about ${describeQuantile(after)}.`;
  const change = ratio > 1 ? "falls" : "rises";
  return `the median latency ${change} from ${describeQuantile(before)} to ${describeQuantile(after)}.`;
}

/** Describes the difference in dropped frames, if it is noticeable. */
function describeDrops({ batched, single }: Comparison): string {
  if (Math.abs(batched.droppedFrames - single.droppedFrames) < NOTICEABLE_DROPS) return "";
  return ` It drops ${formatShare(batched.droppedFrames)} of the frames, compared with ${formatShare(single.droppedFrames)} without.`;
}

import { NOTICEABLE } from "../measure/gain.js";
import type { Ratio } from "../measure/paired-ratio.js";

/** The throughput with batching relative to that without, at a number of callers. */
export interface GainPoint {
  readonly callers: number;
  readonly factor: Ratio;
}

/**
 * The number of callers from which batching serves noticeably more predictions, interpolated between the measured
 * numbers on logarithmic scales. `null` if it does not for the most callers. The points are in ascending order of callers.
 */
export function breakEven(points: readonly GainPoint[]): number | null {
  const lastBelow = points.findLastIndex(({ factor }) => factor.value < NOTICEABLE);
  const above = points[lastBelow + 1];
  if (above === undefined) return null;
  const below = points[lastBelow];
  return below === undefined ? above.callers : Math.ceil(crossing(below, above));
}

function crossing(below: GainPoint, above: GainPoint): number {
  const [low, high] = [Math.log(below.factor.value), Math.log(above.factor.value)];
  const share = (Math.log(NOTICEABLE) - low) / (high - low);
  return below.callers * (above.callers / below.callers) ** share;
}

/** Says from how many callers batching pays. */
export function describeBreakEven(points: readonly GainPoint[]): string {
  const callers = breakEven(points);
  const most = points.at(-1)?.callers ?? 0;
  const paying = points.filter(({ factor }) => factor.value >= NOTICEABLE).map((point) => point.callers);
  if (callers === null && paying.length > 0) {
    return `Batching pays for ${paying.join(" and ")} callers, but not for ${most}.`;
  }
  if (callers === null) return `Batching pays for no number of callers up to ${most}.`;
  const isCertain = points.every((point) => point.callers < callers || point.factor.low > 1);
  const from = callers === 1 ? "the first caller" : `${callers} callers`;
  return isCertain ? `Batching pays from ${from}.` : `Batching seems to pay from ${from}, but the measurements vary.`;
}

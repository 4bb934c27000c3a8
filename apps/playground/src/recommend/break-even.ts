import { NOTICEABLE } from "../measure/gain.js";
import type { Ratio } from "../measure/paired-ratio.js";

/** The throughput with batching relative to that without, at a number of callers. */
export interface GainPoint {
  readonly callers: number;
  readonly factor: Ratio;
}

/**
 * The measured numbers of callers between which batching begins to serve noticeably more predictions; both are the same
 * if it does from the fewest on. `null` if it does not for the most callers. The points are in ascending order of callers.
 */
export function breakEven(points: readonly GainPoint[]): { readonly after: number; readonly at: number } | null {
  const lastBelow = points.findLastIndex(({ factor }) => factor.value < NOTICEABLE);
  const above = points[lastBelow + 1];
  return above === undefined ? null : { after: points[lastBelow]?.callers ?? above.callers, at: above.callers };
}

/** Says from how many callers batching pays. */
export function describeBreakEven(points: readonly GainPoint[]): string {
  const start = breakEven(points);
  const most = points.at(-1)?.callers ?? 0;
  const paying = points.filter(({ factor }) => factor.value >= NOTICEABLE).map((point) => point.callers);
  if (start === null) {
    return paying.length > 0
      ? `Batching pays for ${paying.join(" and ")} callers, but not for ${most}.`
      : `Batching pays for no number of callers up to ${most}.`;
  }
  const isCertain = points.every((point) => point.callers < start.at || point.factor.low > 1);
  const first = start.at === 1 ? "the first caller" : `${start.at} callers`;
  const from = start.after === start.at ? first : `a number between ${start.after} and ${start.at} callers`;
  return isCertain
    ? `Batching pays from ${from} on.`
    : `Batching seems to pay from ${from} on, but the measurements vary.`;
}

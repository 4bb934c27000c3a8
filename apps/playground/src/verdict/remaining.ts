import { formatNumber } from "../format.js";
import type { ComparisonProgress } from "../measure/compare.js";

/** "Measuring both ways in turn. About 8 seconds left." An extension says that it is one. */
export function describeRemaining({
  remainingMs,
  isExtended,
}: Pick<ComparisonProgress, "remainingMs" | "isExtended">): string {
  const seconds = Math.max(1, Math.round(remainingMs / 1000));
  const time = `${formatNumber(seconds)} ${isExtended ? "more " : ""}${seconds === 1 ? "second" : "seconds"}`;
  return isExtended ? `Still unclear: ${time}.` : `Measuring both ways in turn. About ${time} left.`;
}

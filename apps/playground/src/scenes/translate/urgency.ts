import type { RowRange } from "../languages/row-view.js";
import type { Urgency } from "./asking.js";

/**
 * How urgent a sentence is: those in view come first, then those around them and all that follow. What the reader has scrolled past by
 * more than a view is wanted no longer: `null`.
 */
export function urgencyOf(index: number, { first, last }: RowRange): Urgency | null {
  if (index >= first && index < last) return "user-visible";
  return index < first - (last - first) ? null : "background";
}

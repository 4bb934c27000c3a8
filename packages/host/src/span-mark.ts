/**
 * Marks a span for the browser's performance panel, and removes it from the page's list of entries at once, because
 * that list grows without limit. Times are in milliseconds on the time line of `performance.now()`.
 */
export function markSpan(name: string, start: number, end: number): void {
  performance.measure(name, { start, end });
  performance.clearMeasures(name);
}

const NONE = "–";

/**
 * Formats a number with about three digits and a thousands separator: `12,300`, `4.57`, `0.031`. Returns a dash if
 * there is no number.
 */
export function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  if (digits > 0) return value.toFixed(Math.min(digits, 4));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.abs(value))) - 2);
  return (Math.round(value / step) * step).toLocaleString("en-US");
}

export function percent(share: number | null): string {
  return share === null ? NONE : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** Formats an estimate: `15.2× (14.8 to 15.9)` with `unit` "×". */
export function withInterval(
  estimate: { readonly value: number; readonly interval: { readonly low: number; readonly high: number } } | null,
  unit: string,
): string {
  if (estimate === null) return NONE;
  return `${figure(estimate.value)}${unit} (${figure(estimate.interval.low)} to ${figure(estimate.interval.high)})`;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const twoDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const longCount = new Intl.NumberFormat("en", {
  notation: "compact",
  compactDisplay: "long",
  maximumSignificantDigits: 2,
});

/** Non-breaking space between a number and its unit. */
const GAP = "\u00A0";

/** 12,300 · 98.5 · 0.25 */
export function formatNumber(value: number): string {
  return value >= 100 ? whole.format(value) : threeDigits.format(value);
}

/** 0.25 ms · 12.3 ms · 1.5 s */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${formatNumber(ms)}${GAP}ms` : `${twoDigits.format(ms / 1000)}${GAP}s`;
}

/** 0.4 % · 12 % */
export function formatShare(share: number): string {
  return `${twoDigits.format(share * 100)}${GAP}%`;
}

/** 1.2 kB · 0.25 MB · 50 MB */
export function formatBytes(bytes: number): string {
  return bytes < 1e5 ? `${twoDigits.format(bytes / 1e3)}${GAP}kB` : `${twoDigits.format(bytes / 1e6)}${GAP}MB`;
}

/** 842 · 12,300 · 7.6 million */
export function formatCount(count: number): string {
  return count < 1e5 ? whole.format(count) : longCount.format(count);
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import { formatShare } from "../format.js";
import type { RateFigures } from "./gain.js";
import { mean } from "./latency-statistics.js";
import { rounded } from "./rounded.js";

/**
 * The noise of the device: by which share two slices without batching, one after the other, differ in throughput on
 * average. The same way differs from itself only by chance.
 * @returns 0.08 for ±8 %; `null` for fewer than two slices, or for one without an answer
 */
export function noiseOf(slices: readonly RateFigures[]): number | null {
  const rates = slices.filter(({ lane }) => lane === "single").map(({ throughput }) => throughput);
  if (rates.includes(0)) return null;
  const logs = rates.map((rate) => Math.log(rate));
  const steps = logs.slice(1).map((log, index) => Math.abs(log - (logs[index] ?? log)));
  return steps.length === 0 ? null : rounded(Math.exp(mean(steps)) - 1);
}

/** "Noise here: ±8 %, off against off." Empty if unknown. */
export function describeNoise(noise: number | null): string {
  return noise === null ? "" : `Noise here: ±${formatShare(noise)}, off against off.`;
}

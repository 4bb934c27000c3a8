import type { Random } from "../statistics/random.js";

/** Time between two keystrokes of a fast typist: median in ms, spread of the logarithm, and bounds in ms. */
const KEY = { medianMs: 120, spread: 0.45, leastMs: 35, mostMs: 600 };

/** Draws a log-normal delay with the Box–Muller transform, in ms. */
export function untilNextKeyMs(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const delayMs = KEY.medianMs * Math.exp(KEY.spread * normal);
  return Math.min(KEY.mostMs, Math.max(KEY.leastMs, delayMs));
}

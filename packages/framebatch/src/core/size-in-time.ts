import { largestWithin } from "./forecast.js";
import type { Situation } from "./situation.js";

/**
 * How many of `size` may ride so that the leader meets its objective; `null` where even one is too many. A batch shrinks for its
 * leader only if nobody behind it could ride in the whole one: shrinking for one and then for the next makes all late.
 *
 * @param objectiveAtMs the leader's; `Infinity` for none
 * @param newestObjectiveAtMs of the request that came last
 */
export function sizeInTime(
  size: number,
  objectiveAtMs: number,
  newestObjectiveAtMs: number,
  situation: Situation,
): number | null {
  if (objectiveAtMs === Infinity || situation.predictMs === null) return size;
  const endMs = predictedEndMs(situation, size);
  if (endMs <= objectiveAtMs) return size;
  const canOthersMakeIt = newestObjectiveAtMs >= endMs;
  const fits = (rows: number): boolean => predictedEndMs(situation, rows) <= objectiveAtMs;
  return canOthersMakeIt ? null : largestWithin(size, fits) || null;
}

/** When a batch of so many would end if it left now, where run times are known. */
export function predictedEndMs({ nowMs, freeAtMs, predictMs }: Situation, rows: number): number {
  return Math.max(nowMs, freeAtMs) + (predictMs?.(rows) ?? 0);
}

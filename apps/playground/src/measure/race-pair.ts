import type { LaneName } from "./gain.js";
import { throughputOf, type Recording } from "./recording.js";

/** A recording of each lane, from the same pair of slices. */
export type Race = Readonly<Record<LaneName, Recording>>;

/**
 * Returns the pair whose throughputs have the ratio that is nearest to the factor of the result, so that their race
 * shows what the result says. Each lane has a recording of each pair, in the same order.
 */
export function raceOf(batched: readonly Recording[], single: readonly Recording[], factor: number): Race {
  const pairs = batched.flatMap((recording, pair): Race[] => {
    const other = single[pair];
    return other === undefined ? [] : [{ batched: untilLastAnswer(recording), single: untilLastAnswer(other) }];
  });
  const distance = (race: Race): number => Math.abs(Math.log(ratioOf(race) / factor));
  const [nearest] = pairs.toSorted((a, b) => distance(a) - distance(b));
  if (nearest === undefined) throw new RangeError("A race needs a pair of slices.");
  return nearest;
}

function ratioOf({ batched, single }: Race): number {
  return throughputOf(batched) / throughputOf(single);
}

/** Leaves out the frames after the last answer, since a race repeats a recording from there. */
function untilLastAnswer({ durationMs, answersMs, frames }: Recording): Recording {
  return { durationMs, answersMs, frames: frames.filter(({ atMs }) => atMs <= durationMs) };
}

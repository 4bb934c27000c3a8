/**
 * Pairs each slice of the lane that may not measure with the one before it of the lane that may, which has `share` of them
 * for each: others would be compared over another part of the visit.
 */
export function inRounds<Measured>(
  measuring: readonly Measured[],
  listed: readonly Measured[],
  share: number,
): readonly (readonly [measuring: Measured, listed: Measured])[] {
  return listed.flatMap((slice, round) => {
    const before = measuring[share * (round + 1) - 1];
    return before === undefined ? [] : [[before, slice] as const];
  });
}

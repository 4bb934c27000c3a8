const STEPS = 50;

/** Durations below this number of timer steps are marked as imprecise: the error may exceed 10 %. */
const TRUSTED_STEPS = 10;

/** Returns the smallest step of a timer, in the timer's unit. Spins for fifty steps: 250 µs at 5 µs per step. */
export function timerResolution(now: () => number): number {
  let smallest = Number.POSITIVE_INFINITY;
  let last = now();
  for (let step = 0; step < STEPS; step++) {
    let next = now();
    while (next === last) next = now();
    smallest = Math.min(smallest, next - last);
    last = next;
  }
  return smallest;
}

/** Returns whether a duration is too short for the timer that measured it. */
export function isTooCoarse(durationMs: number, resolutionMs: number): boolean {
  return durationMs < resolutionMs * TRUSTED_STEPS;
}

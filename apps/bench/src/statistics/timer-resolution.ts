const STEPS = 50;

/** A time of fewer steps of the timer than this is marked: its last digit may be off by more than 10 %. */
const TRUSTED_STEPS = 10;

/** The smallest step that a timer makes, in the timer's unit. Spins for fifty steps: 250 µs at 5 µs a step. */
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

/** Whether a duration is too short for the timer that measured it. */
export function isTooCoarse(durationMs: number, resolutionMs: number): boolean {
  return durationMs < resolutionMs * TRUSTED_STEPS;
}

/** The quietest that is shown, in decibels below the loudest. */
const RANGE_DB = 50;

/** How loud a frame sounds, 0 to 1. */
export function loudnessOf(frame: Float32Array): number {
  const power = frame.reduce((sum, sample) => sum + sample * sample, 0) / frame.length;
  return Math.min(1, Math.max(0, 1 + (10 * Math.log10(power + 1e-10)) / RANGE_DB));
}

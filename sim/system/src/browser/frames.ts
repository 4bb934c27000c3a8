/** Time between two frames of the simulated screen, in milliseconds. */
export const FRAME_MS = 1000 / 60;

/** Returns the start of the frame that is shown at this time. */
export function frameStartAt(nowMs: number): number {
  return Math.floor(nowMs / FRAME_MS) * FRAME_MS;
}

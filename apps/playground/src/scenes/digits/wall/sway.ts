import { UPRIGHT, type Pose } from "./variants.js";

/**
 * The pose at a time of the sway. It sums slow sine waves whose periods are not multiples of each other, so that no
 * repetition is visible.
 */
export function swayPose(elapsedMs: number): Pose {
  const wave = (periodMs: number): number => Math.sin((2 * Math.PI * elapsedMs) / periodMs);
  return {
    rotation: 0.2 * wave(2900),
    scale: 1 + 0.06 * wave(3700),
    shiftX: 1.2 * wave(4300),
    shiftY: 0.6 * wave(2300),
  };
}

/**
 * Calls `show` with a new pose before every frame. Returns a function that stops the sway and shows the upright pose.
 */
export function startSway(show: (pose: Pose) => void): () => void {
  const startedAt = performance.now();
  let frame = requestAnimationFrame(function next() {
    frame = requestAnimationFrame(next);
    show(swayPose(performance.now() - startedAt));
  });
  return () => {
    cancelAnimationFrame(frame);
    show(UPRIGHT);
  };
}

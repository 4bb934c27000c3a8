import { UPRIGHT, type Pose } from "./variants.js";

/** A gentle sway: three slow waves whose periods do not divide each other, so that it never looks like a loop. */
export function swayPose(elapsedMs: number): Pose {
  const wave = (periodMs: number): number => Math.sin((2 * Math.PI * elapsedMs) / periodMs);
  return {
    rotation: 0.2 * wave(2900),
    scale: 1 + 0.06 * wave(3700),
    shiftX: 1.2 * wave(4300),
    shiftY: 0.6 * wave(2300),
  };
}

/** Calls back with a pose before every frame, beginning upright, until stopped; then once more, upright. */
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

import type { Drawing } from "./drawing.js";
import { firstPart, sampleDigit } from "./sample-digits.js";

const DRAWING_MS = 450;

/**
 * Animates the drawing of a sample, or draws it at once if the visitor prefers reduced motion. Returns a function that
 * stops the animation.
 */
export function playSample(drawing: Drawing, digit: number, prefersReducedMotion: boolean): () => void {
  const strokes = sampleDigit(digit);
  if (prefersReducedMotion) {
    drawing.showSample(strokes);
    return () => {};
  }
  const startedAt = performance.now();
  let frame = 0;
  const drawNext = (): void => {
    const share = (performance.now() - startedAt) / DRAWING_MS;
    drawing.showSample(share < 1 ? firstPart(strokes, share) : strokes);
    frame = share < 1 ? requestAnimationFrame(drawNext) : 0;
  };
  drawNext();
  return () => cancelAnimationFrame(frame);
}

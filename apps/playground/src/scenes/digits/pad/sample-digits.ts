import type { Point, Stroke } from "./drawing.js";

/** Number of points per curve segment. */
const STEPS = 8;

/**
 * Handwritten digits as knots on a 100 × 100 pad, one list of x, y pairs per stroke. A smooth curve runs through the
 * knots. A knot that appears twice is a corner.
 */
const KNOTS: readonly (readonly (readonly number[])[])[] = [
  [[53, 16, 36, 24, 28, 50, 36, 76, 51, 85, 66, 75, 73, 50, 66, 25, 53, 16]],
  [[40, 30, 54, 16, 54, 16, 53, 50, 51, 86]],
  [[31, 33, 39, 19, 55, 16, 66, 27, 63, 43, 48, 62, 29, 83, 29, 83, 50, 82, 74, 83]],
  [[31, 24, 46, 15, 63, 21, 64, 37, 45, 48, 45, 48, 64, 53, 69, 69, 58, 83, 42, 85, 29, 77]],
  [
    [42, 16, 36, 36, 28, 57, 28, 57, 50, 57, 76, 56],
    [62, 30, 61, 58, 60, 87],
  ],
  [
    [38, 19, 36, 34, 34, 48, 34, 48, 48, 44, 63, 50, 68, 65, 61, 80, 46, 86, 30, 80],
    [38, 19, 54, 19, 69, 17],
  ],
  [[62, 16, 46, 29, 36, 48, 33, 68, 41, 83, 55, 85, 66, 75, 65, 60, 53, 54, 40, 60, 34, 71]],
  [[29, 20, 50, 19, 71, 18, 71, 18, 60, 42, 51, 64, 46, 86]],
  [[65, 24, 52, 16, 38, 22, 38, 37, 52, 48, 66, 60, 66, 76, 52, 85, 38, 77, 37, 63, 50, 49, 64, 37, 65, 24]],
  [[66, 28, 54, 17, 40, 22, 36, 37, 45, 48, 58, 45, 66, 31, 66, 28, 66, 28, 65, 58, 60, 86]],
];

/** The strokes of a handwritten sample digit, 0 to 9. */
export function sampleDigit(digit: number): readonly Stroke[] {
  return (KNOTS[digit] ?? []).map((numbers) => smoothCurve(toPoints(numbers)));
}

/** The first part of a drawing, as a fraction of its points, for the drawing animation. */
export function firstPart(strokes: readonly Stroke[], share: number): readonly Stroke[] {
  let left = Math.ceil(strokes.flat().length * share);
  return strokes
    .map((stroke) => {
      const part = stroke.slice(0, Math.max(0, left));
      left -= stroke.length;
      return part;
    })
    .filter((stroke) => stroke.length > 0);
}

function toPoints(numbers: readonly number[]): Point[] {
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({
    x: (numbers[2 * index] ?? 0) / 100,
    y: (numbers[2 * index + 1] ?? 0) / 100,
  }));
}

/** Interpolates the knots with a Catmull–Rom spline. */
function smoothCurve(knots: readonly Point[]): Stroke {
  const points: Point[] = [];
  for (const [index, from] of knots.slice(0, -1).entries()) {
    const to = knots[index + 1] ?? from;
    if (to.x === from.x && to.y === from.y) continue;
    const before = knots[index - 1] ?? from;
    const after = knots[index + 2] ?? to;
    for (let step = 0; step < STEPS; step++) {
      const share = step / STEPS;
      points.push({
        x: spline(before.x, from.x, to.x, after.x, share),
        y: spline(before.y, from.y, to.y, after.y, share),
      });
    }
  }
  return [...points, ...knots.slice(-1)];
}

function spline(before: number, from: number, to: number, after: number, share: number): number {
  const cubic = 3 * (from - to) + after - before;
  const square = 2 * before - 5 * from + 4 * to - after;
  return from + (share / 2) * (to - before + share * (square + share * cubic));
}

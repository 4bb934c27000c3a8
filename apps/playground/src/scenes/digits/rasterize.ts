import type { Point, Stroke } from "./drawing.js";

/** Pixels per side of the picture that the model takes. */
export const PICTURE_SIZE = 28;

/** The ink is twice as fine as the model's picture, so that turning and scaling it does not blur it. */
export const INK_SIZE = 2 * PICTURE_SIZE;

/** The model learned from digits whose longer side measures 20 of 28 pixels, drawn with a pen about 2 pixels wide. */
const BOX = 2 * 20;
const PEN_WIDTH = 2 * 2.3;

/** A drawing as pixels, whatever its size and place on the pad. */
export interface Ink {
  /** `INK_SIZE` rows of `INK_SIZE` values, from 0 (paper) to 1 (ink). */
  readonly values: Float32Array;
  /** The centre of mass, in pixels. */
  readonly centre: Point;
}

/** Draws strokes into ink; `null` where there is nothing to draw. */
export type Rasterizer = (strokes: readonly Stroke[]) => Ink | null;

/** Keeps one small canvas, in memory that the CPU reads quickly, for every drawing. */
export function createRasterizer(): Rasterizer {
  const canvas = new OffscreenCanvas(INK_SIZE, INK_SIZE);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser gives no 2D canvas.");
  Object.assign(context, { lineCap: "round", lineJoin: "round", lineWidth: PEN_WIDTH });
  return (strokes) => {
    const place = fitIntoBox(strokes);
    if (place === null) return null;
    context.clearRect(0, 0, INK_SIZE, INK_SIZE);
    context.stroke(toPath(strokes, place));
    return toInk(context.getImageData(0, 0, INK_SIZE, INK_SIZE).data);
  };
}

/** Where a point of the pad lies in the ink: the drawing's longer side fills the box, and small dots stay small. */
function fitIntoBox(strokes: readonly Stroke[]): ((point: Point) => Point) | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of strokes.flat()) {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  }
  if (left > right) return null;
  const scale = (BOX - PEN_WIDTH) / Math.max(right - left, bottom - top, 0.1);
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2];
  return ({ x, y }) => ({ x: (x - middleX) * scale + INK_SIZE / 2, y: (y - middleY) * scale + INK_SIZE / 2 });
}

/** Strokes as a path; a single point becomes a dot. */
export function toPath(strokes: readonly Stroke[], place: (point: Point) => Point): Path2D {
  const path = new Path2D();
  for (const stroke of strokes) {
    for (const [index, point] of stroke.entries()) {
      const { x, y } = place(point);
      if (index === 0) path.moveTo(x, y);
      path.lineTo(x, y);
    }
  }
  return path;
}

function toInk(rgba: Uint8ClampedArray): Ink {
  const values = new Float32Array(INK_SIZE * INK_SIZE);
  let [mass, sumX, sumY] = [0, 0, 0];
  for (let index = 0; index < values.length; index++) {
    const value = (rgba[4 * index + 3] ?? 0) / 255;
    values[index] = value;
    mass += value;
    sumX += value * (index % INK_SIZE);
    sumY += value * Math.floor(index / INK_SIZE);
  }
  return { values, centre: { x: sumX / mass, y: sumY / mass } };
}

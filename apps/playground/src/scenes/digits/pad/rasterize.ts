import type { Point, Stroke } from "./drawing.js";

/** Width and height of the model's input picture, in pixels. */
export const PICTURE_SIZE = 28;

/**
 * Width and height of the ink, in pixels. It has twice the resolution of the model's input, so that rotation and
 * scaling do not blur it.
 */
export const INK_SIZE = 2 * PICTURE_SIZE;

/**
 * In the model's training data the longer side of a digit measures 20 of 28 pixels, and the pen is about 2 pixels wide.
 */
const BOX = 2 * 20;
const PEN_WIDTH = 2 * 2.3;

/** A drawing as pixels, independent of its size and position on the pad. */
export interface Ink {
  /** `INK_SIZE` rows of `INK_SIZE` values, from 0 (paper) to 1 (ink). */
  readonly values: Float32Array;
  /** The centre of mass, in pixels. */
  readonly centre: Point;
}

/** Draws strokes into ink; `null` if there are no strokes. */
export type Rasterizer = (strokes: readonly Stroke[]) => Ink | null;

/**
 * Creates a rasterizer that reuses one small canvas for all drawings. The canvas is in memory that the CPU reads
 * quickly.
 */
export function createRasterizer(): Rasterizer {
  const canvas = new OffscreenCanvas(INK_SIZE, INK_SIZE);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser does not provide a 2D canvas context.");
  Object.assign(context, { lineCap: "round", lineJoin: "round", lineWidth: PEN_WIDTH });
  return (strokes) => {
    const place = fitIntoBox(strokes);
    if (place === null) return null;
    context.clearRect(0, 0, INK_SIZE, INK_SIZE);
    context.stroke(toPath(strokes, place));
    return toInk(context.getImageData(0, 0, INK_SIZE, INK_SIZE).data);
  };
}

/** Maps points of the pad to the ink: the longer side of the drawing fills the box, and small dots stay small. */
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

/** Converts strokes to a path. A single point becomes a dot. */
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

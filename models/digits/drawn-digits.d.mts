export type Point = readonly [x: number, y: number];
export type Stroke = readonly Point[];

export interface DrawnDigit {
  readonly digit: number;
  readonly style: string;
  readonly strokes: readonly Stroke[];
}

/** Digits as pen strokes, about 1 high, y down, for tests. None was used in training. */
export const drawnDigits: readonly DrawnDigit[];

/** How a finished drawing is moved around its centre. Default: not at all. */
export interface Placement {
  /** In radians, clockwise. */
  readonly angle?: number;
  readonly scale?: number;
  /** In pixels. */
  readonly shift?: Point;
}

export interface DrawOptions {
  /** In pixels of the image. */
  readonly penWidth: number;
  readonly place?: Placement;
}

/**
 * Draws strokes into a 28×28 image as the model card asks: scaled to a box of 20 pixels, centred by ink.
 *
 * @returns 784 numbers from 0 (paper) to 1 (ink), rows from the top.
 */
export function drawDigit(strokes: readonly Stroke[], options: DrawOptions): Float32Array<ArrayBuffer>;

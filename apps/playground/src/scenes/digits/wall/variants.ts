import { seededRandom } from "../../../seeded-random.js";
import { INK_SIZE, PICTURE_SIZE, type Ink } from "../pad/rasterize.js";

/** A transformation of the ink: rotation (radians), scale, and shift (pixels of the picture) about its centre. */
export interface Pose {
  readonly rotation: number;
  readonly scale: number;
  readonly shiftX: number;
  readonly shiftY: number;
}

export const UPRIGHT: Pose = { rotation: 0, scale: 1, shiftX: 0, shiftY: 0 };

const MAX_ROTATION = 1;
const MAX_SCALING = 0.4;
const MAX_SHIFT = 5;

/** The centre of mass of the digits in the model's training data, in pixels. */
const MIDDLE = PICTURE_SIZE / 2;

/**
 * The pose of a tile on a wall of `tiles` tiles. It is deterministic: upright for the first tile, with more variation
 * towards the last.
 */
export function variantPose(tile: number, tiles: number): Pose {
  if (tile === 0) return UPRIGHT;
  const random = seededRandom(tile);
  const strength = 0.2 + 0.8 * (tile / (tiles - 1));
  const around = (extent: number): number => (2 * random() - 1) * extent * strength;
  return {
    rotation: around(MAX_ROTATION),
    scale: Math.exp(around(MAX_SCALING)),
    shiftX: around(MAX_SHIFT),
    shiftY: around(MAX_SHIFT),
  };
}

/** Combines two poses. */
export function combinePoses(first: Pose, second: Pose): Pose {
  return {
    rotation: first.rotation + second.rotation,
    scale: first.scale * second.scale,
    shiftX: first.shiftX + second.shiftX,
    shiftY: first.shiftY + second.shiftY,
  };
}

/** Fills `picture` (28 × 28, the model's input) with the ink in a pose, with its centre of mass in the middle. */
export function renderPose(ink: Ink, pose: Pose, picture: Float32Array): void {
  const step = INK_SIZE / PICTURE_SIZE / pose.scale;
  const cosine = Math.cos(pose.rotation) * step;
  const sine = Math.sin(pose.rotation) * step;
  for (let row = 0, index = 0; row < PICTURE_SIZE; row++) {
    const down = row - MIDDLE - pose.shiftY;
    for (let column = 0; column < PICTURE_SIZE; column++, index++) {
      const right = column - MIDDLE - pose.shiftX;
      const x = ink.centre.x + right * cosine + down * sine;
      const y = ink.centre.y - right * sine + down * cosine;
      picture[index] = sample(ink.values, x, y);
    }
  }
}

/** Samples the ink with bilinear interpolation. The value outside the ink is 0 (paper). */
function sample(values: Float32Array, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left >= INK_SIZE - 1 || top >= INK_SIZE - 1) return 0;
  const [across, below] = [x - left, y - top];
  const index = top * INK_SIZE + left;
  const upper = (values[index] ?? 0) * (1 - across) + (values[index + 1] ?? 0) * across;
  const lower = (values[index + INK_SIZE] ?? 0) * (1 - across) + (values[index + INK_SIZE + 1] ?? 0) * across;
  return upper * (1 - below) + lower * below;
}

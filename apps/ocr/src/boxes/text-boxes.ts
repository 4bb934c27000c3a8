import { cornersOf, rotate, type RotatedBox } from "./geometry.js";
import { minAreaBox } from "./min-area-box.js";
import { regionsAbove, type ValueMap } from "./regions.js";

/** A box around a line of text. */
export interface TextBox extends RotatedBox {
  /** The mean probability inside the region that the detector saw, from 0 to 1. */
  readonly score: number;
}

/** The limits of PP-OCRv4's own configuration (`DBPostProcess`). */
const PIXEL_THRESHOLD = 0.3;
const BOX_THRESHOLD = 0.6;
const UNCLIP_RATIO = 1.5;
/** The shortest side of a region, and of its grown box, in pixels of the map. */
const MIN_SIDE = 3;
const MIN_GROWN_SIDE = 5;

/**
 * Turns the detector's map of probabilities into boxes in pixels of the map, in no useful order.
 *
 * Differentiable Binarization (Liao et al., 2020, section 3.5): regions above a threshold are shrunk text, so their
 * boxes are grown by D = A · r / L, with the area A, the perimeter L and the ratio r. Growing a rectangle by D on each
 * side gives the smallest box around the polygon that the paper's offset makes.
 */
export function findTextBoxes(map: ValueMap): TextBox[] {
  return regionsAbove(map, PIXEL_THRESHOLD).flatMap((region) => {
    const box = minAreaBox(region);
    if (Math.min(box.width, box.height) < MIN_SIDE) return [];
    const score = meanInside(map, box);
    const grown = unclip(box);
    return score < BOX_THRESHOLD || Math.min(grown.width, grown.height) < MIN_GROWN_SIDE ? [] : [{ ...grown, score }];
  });
}

function unclip(box: RotatedBox): RotatedBox {
  const distance = (box.width * box.height * UNCLIP_RATIO) / (2 * (box.width + box.height));
  // Points are centers of pixels; a map of pixels starts half a pixel before the first center.
  const center = { x: box.center.x + 0.5, y: box.center.y + 0.5 };
  return { center, width: box.width + 2 * distance, height: box.height + 2 * distance, angle: box.angle };
}

/** Returns the mean of the pixels whose centers lie in a box; 0 if there are none. */
function meanInside({ values, width, height }: ValueMap, box: RotatedBox): number {
  const corners = cornersOf(box);
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  let sum = 0;
  let count = 0;
  for (let y = Math.max(0, Math.ceil(Math.min(...ys))); y <= Math.min(height - 1, Math.max(...ys)); y++) {
    for (let x = Math.max(0, Math.ceil(Math.min(...xs))); x <= Math.min(width - 1, Math.max(...xs)); x++) {
      const inside = rotate({ x: x - box.center.x, y: y - box.center.y }, -box.angle);
      if (Math.abs(inside.x) > box.width / 2 || Math.abs(inside.y) > box.height / 2) continue;
      sum += values[y * width + x] ?? 0;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

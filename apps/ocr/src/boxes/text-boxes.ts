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
/** The shortest side of a region, in pixels of the map. PP-OCR's is 3, between the centers of pixels. */
const MIN_SIDE = 4;

/**
 * Turns the detector's map of probabilities into boxes in pixels of the map, in no useful order.
 *
 * Differentiable Binarization (Liao et al., 2020, section 3.5): regions above a threshold are shrunk text, so their
 * boxes are grown by D = A · r / L, with the area A, the perimeter L and the ratio r. Growing a rectangle by D on each
 * side gives the smallest box around the polygon that the paper's offset makes.
 *
 * Regions reach to the edges of their pixels. PP-OCR's own reach to the centers, so its boxes are a pixel smaller; with
 * small text, lines cut out that tightly lose the spaces between words (5.5 % of characters on a test page, and none).
 */
export function findTextBoxes(map: ValueMap): TextBox[] {
  return regionsAbove(map, PIXEL_THRESHOLD).flatMap((region) => {
    const box = minAreaBox(region);
    if (Math.min(box.width, box.height) < MIN_SIDE) return [];
    const score = meanInside(map, box);
    return score < BOX_THRESHOLD ? [] : [{ ...unclip(box), score }];
  });
}

function unclip(box: RotatedBox): RotatedBox {
  const distance = (box.width * box.height * UNCLIP_RATIO) / (2 * (box.width + box.height));
  return { ...box, width: box.width + 2 * distance, height: box.height + 2 * distance };
}

/** Returns the mean of the pixels whose centers lie in a box; 0 if there are none. */
function meanInside({ values, width, height }: ValueMap, box: RotatedBox): number {
  const corners = cornersOf(box);
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  let sum = 0;
  let count = 0;
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y < Math.min(height, Math.max(...ys)); y++) {
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x < Math.min(width, Math.max(...xs)); x++) {
      const inside = rotate({ x: x + 0.5 - box.center.x, y: y + 0.5 - box.center.y }, -box.angle);
      if (Math.abs(inside.x) > box.width / 2 || Math.abs(inside.y) > box.height / 2) continue;
      sum += values[y * width + x] ?? 0;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

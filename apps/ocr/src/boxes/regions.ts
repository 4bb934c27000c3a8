import type { Point } from "./geometry.js";

/** A map of values, row by row. */
export interface ValueMap {
  readonly values: ArrayLike<number>;
  readonly width: number;
  readonly height: number;
}

/**
 * Finds the connected regions (8 neighbours) of a map above `threshold`, in the order of their first pixel. For each row
 * of a region, returns the outer corners of the first and the last pixel. These determine the convex hull of the region.
 * Pixel (0, 0) has the corners (0, 0) and (1, 1).
 */
export function regionsAbove(map: ValueMap, threshold: number): Point[][] {
  const isOpen = Uint8Array.from(map.values, (value) => (value > threshold ? 1 : 0));
  const regions: Point[][] = [];
  for (let pixel = 0; pixel < isOpen.length; pixel++) {
    if (isOpen[pixel] === 1) regions.push(rowCorners(flood(isOpen, map, pixel), map.width));
  }
  return regions;
}

/** Returns the pixels that are connected with `start`, and closes them. */
function flood(isOpen: Uint8Array, { width, height }: ValueMap, start: number): number[] {
  const found = [start];
  isOpen[start] = 0;
  for (const pixel of found) {
    const [column, row] = [pixel % width, Math.floor(pixel / width)];
    for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, height - 1); y++) {
      for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, width - 1); x++) {
        const neighbour = y * width + x;
        if (isOpen[neighbour] === 0) continue;
        isOpen[neighbour] = 0;
        found.push(neighbour);
      }
    }
  }
  return found;
}

function rowCorners(pixels: readonly number[], width: number): Point[] {
  const rows = new Map<number, { left: number; right: number }>();
  for (const pixel of pixels) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const row = rows.get(y);
    if (row === undefined) rows.set(y, { left: x, right: x });
    else [row.left, row.right] = [Math.min(row.left, x), Math.max(row.right, x)];
  }
  return [...rows].flatMap(([y, { left, right }]) => [
    { x: left, y },
    { x: left, y: y + 1 },
    { x: right + 1, y },
    { x: right + 1, y: y + 1 },
  ]);
}

import { rotate, type Point, type RotatedBox } from "./geometry.js";

/**
 * Returns the smallest rotated rectangle around points. One of its sides lies on an edge of their convex hull (Freeman
 * and Shapira, 1975), so each edge is tried. Its angle is from -45° (exclusive) to 45°.
 * @param points at least one
 */
export function minAreaBox(points: readonly Point[]): RotatedBox {
  const hull = convexHull(points);
  const boxes = hull.map((from, index) => {
    const to = hull[(index + 1) % hull.length] ?? from;
    return boxAlong(hull, Math.atan2(to.y - from.y, to.x - from.x));
  });
  return uprightest(boxes.reduce((least, box) => (areaOf(box) < areaOf(least) ? box : least)));
}

/** Returns the corners of the convex hull, by Andrew's monotone chain (1979). */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  return [...chain(sorted).slice(0, -1), ...chain(sorted.toReversed()).slice(0, -1)];
}

function chain(sorted: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of sorted) {
    while (kept.length > 1 && !turnsRight(kept.at(-2) ?? point, kept.at(-1) ?? point, point)) kept.pop();
    kept.push(point);
  }
  return kept;
}

function turnsRight(a: Point, b: Point, c: Point): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}

function boxAlong(points: readonly Point[], angle: number): RotatedBox {
  const turned = points.map((point) => rotate(point, -angle));
  const [left, right] = range(turned.map(({ x }) => x));
  const [top, bottom] = range(turned.map(({ y }) => y));
  const center = rotate({ x: (left + right) / 2, y: (top + bottom) / 2 }, angle);
  return { center, width: right - left, height: bottom - top, angle };
}

function range(values: readonly number[]): [least: number, largest: number] {
  return [Math.min(...values), Math.max(...values)];
}

function areaOf({ width, height }: RotatedBox): number {
  return width * height;
}

/** Names the sides of a box so that its angle is the one nearest to 0. */
function uprightest({ center, width, height, angle }: RotatedBox): RotatedBox {
  const turns = Math.ceil(angle / (Math.PI / 2) - 0.5);
  const isSideways = turns % 2 !== 0;
  return {
    center,
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    angle: angle - (turns * Math.PI) / 2,
  };
}

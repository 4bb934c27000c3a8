/** A point in pixels, y downwards. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rotated rectangle. `width` lies along `angle`, in radians, clockwise as seen on a page: y points down. */
export interface RotatedBox {
  readonly center: Point;
  readonly width: number;
  readonly height: number;
  readonly angle: number;
}

/** Rotates a point about the origin, clockwise as seen on a page. */
export function rotate({ x, y }: Point, angle: number): Point {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  return { x: x * cosine - y * sine, y: x * sine + y * cosine };
}

/** Returns the corners of a box: top left, top right, bottom right, bottom left, as its text is read. */
export function cornersOf({ center, width, height, angle }: RotatedBox): [Point, Point, Point, Point] {
  const corner = (across: number, down: number): Point => {
    const { x, y } = rotate({ x: (across * width) / 2, y: (down * height) / 2 }, angle);
    return { x: center.x + x, y: center.y + y };
  };
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

/** Scales a box whose axes may be scaled differently, as when a page is resized to multiples of 32. */
export function scaleBox(box: RotatedBox, across: number, down: number): RotatedBox {
  const along = rotate({ x: 1, y: 0 }, box.angle);
  const scaled = { x: along.x * across, y: along.y * down };
  const stretch = Math.hypot(scaled.x, scaled.y);
  return {
    center: { x: box.center.x * across, y: box.center.y * down },
    width: box.width * stretch,
    // The area grows by the product of both scales.
    height: (box.height * across * down) / stretch,
    angle: Math.atan2(scaled.y, scaled.x),
  };
}

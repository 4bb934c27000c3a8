/** A rectangle on the page: its top left corner and its size. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A mark that needs a label. */
export interface Labelled {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

export const LABEL_HEIGHT = 13;
const CHARACTER_WIDTH = 5.6;
const MARK_RADIUS = 6;
const DISTANCE = 9;
const MAX_STEPS = 12;

/**
 * Returns the place of each label in the order of the marks: near its own mark, clear of other marks and labels, and
 * inside `frame`.
 */
export function placeLabels(marks: readonly Labelled[], frame: Box): Box[] {
  const taken: Box[] = marks.map(({ x, y }) => around(x, y));
  return marks.map((mark) => {
    const boxes = candidates(mark);
    const free = boxes.find((box) => isInside(box, frame) && !taken.some((other) => overlaps(box, other)));
    const box = free ?? boxes[0] ?? around(mark.x, mark.y);
    taken.push(box);
    return box;
  });
}

/** Candidates to the right and to the left, then further down and up, step by step. */
function candidates({ x, y, text }: Labelled): Box[] {
  const width = CHARACTER_WIDTH * text.length;
  const boxes: Box[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    for (const offset of step === 0 ? [0] : [5 * step, -5 * step]) {
      const top = y + offset - LABEL_HEIGHT / 2;
      boxes.push({ x: x + DISTANCE, y: top, width, height: LABEL_HEIGHT });
      boxes.push({ x: x - DISTANCE - width, y: top, width, height: LABEL_HEIGHT });
      if (Math.abs(offset) > LABEL_HEIGHT) boxes.push({ x: x - width / 2, y: top, width, height: LABEL_HEIGHT });
    }
  }
  return boxes;
}

function around(x: number, y: number): Box {
  return { x: x - MARK_RADIUS, y: y - MARK_RADIUS, width: 2 * MARK_RADIUS, height: 2 * MARK_RADIUS };
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function isInside(box: Box, frame: Box): boolean {
  const fitsAcross = box.x >= frame.x && box.x + box.width <= frame.x + frame.width;
  return fitsAcross && box.y >= frame.y && box.y + box.height <= frame.y + frame.height;
}

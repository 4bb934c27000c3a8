import { rotate, type RotatedBox } from "./geometry.js";

/** A box, upright after the page's tilt is taken out. */
interface Block<Box> {
  readonly box: Box;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Columns are apart by at least this many line heights: more than words, less than the gap between columns. */
const COLUMN_GAP = 1;
/** The middle part of a line's height that must not overlap with the next line: boxes reach into each other's margins. */
const CORE = 0.4;

/**
 * Sorts boxes as they are read, top to bottom and left to right, column by column.
 *
 * A recursive XY cut (Nagy and Seth, 1984), with columns first: bands of lines that leave a gap in common, from top to
 * bottom, are columns; a heading across all columns ends them.
 */
export function readingOrder<Box extends RotatedBox>(boxes: readonly Box[]): Box[] {
  const tilt = median(boxes.map(({ angle }) => angle));
  const lineHeight = median(boxes.map(({ height }) => height));
  return order(
    boxes.map((box) => upright(box, tilt)),
    lineHeight * COLUMN_GAP,
  ).map(({ box }) => box);
}

function upright<Box extends RotatedBox>(box: Box, tilt: number): Block<Box> {
  const { x, y } = rotate(box.center, -tilt);
  // A line may run down the page beside those that run across.
  const isAcross = Math.abs(Math.cos(box.angle - tilt)) >= Math.SQRT1_2;
  const [width, height] = isAcross ? [box.width, box.height] : [box.height, box.width];
  const half = (height / 2) * CORE;
  return { box, left: x - width / 2, right: x + width / 2, top: y - half, bottom: y + half };
}

function order<Box>(blocks: readonly Block<Box>[], gap: number): Block<Box>[] {
  const columns = columnsOf(blocks, gap);
  if (columns.length > 1) return columns.flatMap((column) => order(column, gap));
  const bands = cut(blocks, ({ top, bottom }) => [top, bottom], 0);
  if (bands.length === 1) return orderBand(blocks, gap);
  const groups = groupBands(bands, gap);
  return groups.length === 1 ? groups.flat(2) : groups.flatMap((group) => order(group.flat(), gap));
}

/**
 * Orders blocks of which none is clearly above the others: the parts of a line from left to right. Boxes are wider than
 * their text, so those of two parts may overlap by half a line height each.
 */
function orderBand<Box>(blocks: readonly Block<Box>[], gap: number): Block<Box>[] {
  const parts = columnsOf(blocks, -gap);
  if (parts.length > 1) return parts.flatMap((part) => order(part, gap));
  return blocks.toSorted((a, b) => a.top - b.top || a.left - b.left);
}

/** Joins neighbouring bands that leave a gap between columns in common. */
function groupBands<Box>(bands: readonly Block<Box>[][], gap: number): Block<Box>[][][] {
  const groups: Block<Box>[][][] = [];
  for (const band of bands) {
    const last = groups.at(-1);
    if (last !== undefined && columnsOf([...last.flat(), ...band], gap).length > 1) last.push(band);
    else groups.push([band]);
  }
  return groups;
}

function columnsOf<Box>(blocks: readonly Block<Box>[], gap: number): Block<Box>[][] {
  return cut(blocks, ({ left, right }) => [left, right], gap);
}

/** Splits blocks where their ranges leave a gap of at least `gap`. Below 0, they may overlap by so much. */
function cut<Box>(
  blocks: readonly Block<Box>[],
  range: (block: Block<Box>) => readonly [start: number, end: number],
  gap: number,
): Block<Box>[][] {
  const parts: Block<Box>[][] = [];
  let reached = -Infinity;
  for (const block of blocks.toSorted((a, b) => range(a)[0] - range(b)[0])) {
    const [start, end] = range(block);
    const part = parts.at(-1);
    if (part === undefined || start - reached >= gap) parts.push([block]);
    else part.push(block);
    reached = Math.max(reached, end);
  }
  return parts;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

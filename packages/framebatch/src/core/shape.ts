/** What decides who may ride with whom, and what a row costs. */
export interface ItemShape {
  /** Items of different groups never share a batch: other types, ranks, or values of a shared input. */
  readonly group: string;
  /** Sizes that padding can raise, each already rounded up to its bucket. Empty where nothing is padded. */
  readonly extents: readonly number[];
  /** The item's own sizes, before any rounding up, for when it runs alone. @default `extents` */
  readonly ownExtents?: readonly number[];
  /** The item's own volume, before any rounding up; for `paddingWaste`. @default the product of `extents` */
  readonly volume?: number;
}

/** The volume of these sizes: of a tensor its number of elements, of a padded row the product of its extents. 1 for none. */
export function volumeOf(sizes: readonly number[]): number {
  let volume = 1;
  for (const size of sizes) volume *= size;
  return volume;
}

/** The smallest extents that hold both. The two have the same length, as all items of one group do. */
export function enclosing(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a === b || a.length === 0) return a;
  return a.map((extent, axis) => Math.max(extent, b[axis] ?? 0));
}

/**
 * Names the lane of a shape: items of one lane differ so little in size that padding them to the largest wastes little.
 * Extents are rounded up to eight steps an octave, so a lane wastes at most 1/8 of each, and a group has few lanes.
 */
export function laneKeyOf(shape: ItemShape): string {
  if (shape.extents.length === 0) return shape.group;
  return `${shape.group}|${shape.extents.map(roundUp).join("x")}`;
}

/**
 * A number that orders lanes so that those of like sizes are neighbours: of one size, by it; of several, along a curve (Morton's)
 * that fills their space box by box.
 */
export function laneOrderOf(extents: readonly number[]): number {
  const steps = extents.map((extent) => Math.round(STEPS_PER_OCTAVE * Math.log2(Math.max(1, extent))));
  let order = 0;
  for (let bit = 2 ** (ORDER_BITS - 1); bit >= 1; bit /= 2) {
    for (const step of steps) order = 2 * order + (step & bit ? 1 : 0);
  }
  return order;
}

/** Eight steps for each of 32 octaves. Beyond six extents the lowest bits of the order are lost to rounding, which is no harm. */
const ORDER_BITS = 8;

const STEPS_PER_OCTAVE_LOG2 = 3;
const STEPS_PER_OCTAVE = 2 ** STEPS_PER_OCTAVE_LOG2;

function roundUp(extent: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, extent))) - STEPS_PER_OCTAVE_LOG2);
  return Math.ceil(extent / step) * step;
}

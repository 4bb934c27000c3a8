/** The shape of an item: it determines which items may share a batch, and what a row costs. */
export interface ItemShape {
  /**
   * Items of different groups never share a batch. Groups separate items with different types, ranks, or values of a
   * shared input.
   */
  readonly group: string;
  /**
   * All sizes in which items differ. Those that padding can raise are rounded up to their buckets. The others are equal
   * within a group. Their product is the volume of a row, which determines its cost.
   */
  readonly extents: readonly number[];
  /** The item's own sizes, before rounding, for when it runs alone. @default `extents` */
  readonly ownExtents?: readonly number[];
  /** The item's own volume, before rounding, for `paddingWaste`. @default the product of `extents` */
  readonly volume?: number;
}

/**
 * Returns a copy of a shape that its owner may change later: a queued request is found again by its shape. Does not
 * copy anything else, which is refused later.
 */
export function copyShape(shape: ItemShape): ItemShape {
  if (typeof shape !== "object" || !Array.isArray(shape?.extents)) return shape;
  const { ownExtents } = shape;
  return { ...shape, extents: [...shape.extents], ...(Array.isArray(ownExtents) && { ownExtents: [...ownExtents] }) };
}

/** The shape of every item when `shapeOf` is not set. */
export const PLAIN_SHAPE: ItemShape = { group: "", extents: [] };

/**
 * Returns the product of the sizes: the number of elements of a tensor, or the volume of a padded row. 1 if there are
 * no sizes.
 */
export function volumeOf(sizes: readonly number[]): number {
  let volume = 1;
  for (const size of sizes) volume *= size;
  return volume;
}

/** Returns the smallest extents that hold both. Both must have the same length, as they do within a group. */
export function enclosing(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a === b || a.length === 0) return a;
  return a.map((extent, axis) => Math.max(extent, b[axis] ?? 0));
}

/**
 * Returns the key of a shape's lane. The items of a lane have similar sizes, so padding them to the largest wastes
 * little. Extents are rounded up to eight steps per octave. A lane therefore wastes at most 1/8 of each extent, and a
 * group has few lanes.
 */
export function laneKeyOf(shape: ItemShape): string {
  if (shape.extents.length === 0) return shape.group;
  return `${shape.group}|${shape.extents.map(roundUp).join("x")}`;
}

/**
 * Returns a sort key that makes lanes of similar sizes neighbours. With one extent, lanes are in order of size. With
 * several, they follow a Morton curve, which fills the space of sizes block by block.
 */
export function laneOrderOf(extents: readonly number[]): number {
  const steps = extents.map((extent) => Math.round(STEPS_PER_OCTAVE * Math.log2(Math.max(1, extent))));
  let order = 0;
  for (let bit = 2 ** (ORDER_BITS - 1); bit >= 1; bit /= 2) {
    for (const step of steps) order = 2 * order + (step & bit ? 1 : 0);
  }
  return order;
}

/**
 * Bits per extent: eight steps for each of 32 octaves. With more than six extents, rounding loses the lowest bits of
 * the sort key, which does no harm.
 */
const ORDER_BITS = 8;

const STEPS_PER_OCTAVE_LOG2 = 3;
const STEPS_PER_OCTAVE = 2 ** STEPS_PER_OCTAVE_LOG2;

function roundUp(extent: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, extent))) - STEPS_PER_OCTAVE_LOG2);
  return Math.ceil(extent / step) * step;
}

/** The volume of an item itself, without padding. */
export function ownVolume({ volume, ownExtents, extents }: ItemShape): number {
  return volume ?? volumeOf(ownExtents ?? extents);
}

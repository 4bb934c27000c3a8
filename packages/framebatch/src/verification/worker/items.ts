import { givenIn, type Tensor, type TensorData, type TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { dimsFor, type InputPlan, planInputs } from "@framebatch/rows/collate/input-plan.js";
import { readRegion } from "@framebatch/rows/tensor/region.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";
import type { Extent } from "@framebatch/rows/padding/extents.js";
import type { PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";

/** An item in the form that callers pass, by input name. */
export type GeneratedItem = Readonly<Record<string, Tensor>>;

/** Options for making up items. */
export interface Draw {
  /** Draws with different seeds share no item. */
  readonly seed: number;
  /** Number of items to compare. The same number of items takes their places as batch-mates. */
  readonly count: number;
  readonly spread: keyof typeof SPREADS;
  /**
   * Exclusive upper bound of integers, from 0. As ids, they must be in range of every table that the model looks up.
   */
  readonly integersBelow: number;
  /** Size of dynamic dimensions whose valid sizes are unknown. */
  readonly guess: number;
}

/** Items to compare, and one replacement for each of their places in a batch. */
interface DrawnItems {
  readonly compared: readonly GeneratedItem[];
  readonly mates: readonly GeneratedItem[];
}

const FLOAT_TYPES = /^float/;
/**
 * An input with such a name may exclude what it marks with 0 from the output, and so hide differences between items.
 */
const MASK = /mask/i;

function isMask(input: string): boolean {
  return MASK.test(input);
}

/**
 * Makes up items, all different, and the same ones for the same draw. Sizes that padding can raise differ from item to
 * item. All other sizes and the shared inputs are equal. Omits masks that framebatch fills in; others mark everything.
 */
export function drawItems(signature: ModelSignature, padding: PaddingPlan, draw: Draw): DrawnItems {
  const plans = planInputs(signature, padding).filter(({ maskValue }) => maskValue === undefined);
  const shared = SPREADS.signed.compared[0];
  const items = (spreads: readonly Spread[], set: number) =>
    Array.from({ length: draw.count }, (_, item) => {
      const sizes = padding.extents.map((extent) => sizeOf(extent, draw, item));
      const spread = spreads[(item + draw.seed - 1) % spreads.length] ?? shared;
      const tensors = plans.map((plan, input): [string, Tensor] => {
        const isShared = plan.batchAxis === null;
        const random = randomFrom(draw.seed, input, isShared ? -1 : 2 * item + set);
        return [plan.name, drawTensor(plan, sizes, draw, isShared ? shared : spread, random)];
      });
      return Object.fromEntries(tensors);
    });
  const { compared, mates } = SPREADS[draw.spread];
  return { compared: items(compared, 0), mates: items(mates, 1) };
}

/**
 * Returns the size of an item: the first is as large as its bucket, and each further one is smaller by an equal step.
 */
function sizeOf({ buckets, multipleOf, isPadded }: Extent, { guess, count }: Draw, item: number): number {
  const steps = buckets?.[0] ?? Math.max(guess === 1 ? 1 : 2, Math.ceil(guess / multipleOf));
  return multipleOf * Math.ceil((steps * (isPadded ? count - item : count)) / count);
}

function drawTensor(plan: InputPlan, sizes: readonly number[], draw: Draw, spread: Spread, random: Random): Tensor {
  const dims = dimsFor(plan, sizes);
  const data = plan.element.create(volumeOf(dims));
  const elements = writable(data);
  const elementAt = elementsFor(plan, draw, spread, elements.length, random);
  for (let index = 0; index < elements.length; index++) elements[index] = plan.element.parse(elementAt(index));
  return { type: plan.element.type, dims, data };
}

function elementsFor(
  { name, element: { type } }: InputPlan,
  { integersBelow }: Draw,
  { floats, wholes }: Spread,
  length: number,
  random: Random,
): (index: number) => number | string {
  if (type === "string") return () => `text ${Math.floor(random() * 1000)}`;
  if (isMask(name)) return () => 1;
  if (FLOAT_TYPES.test(type)) return floats(length, random, type === "float16");
  const shareAt = wholes(length, random, false);
  const below = type === "bool" ? 2 : integersBelow;
  return (index) => Math.floor(below * shareAt(index));
}

/** Numbers in [0, 1). */
type Random = () => number;

/** Returns a function that gives the elements of one tensor, in order. */
type Fill = (length: number, random: Random, isHalf: boolean) => (index: number) => number;

/**
 * Distribution of a generated tensor's elements: floating-point ones, and integers as a share of their range in [0, 1).
 */
interface Spread {
  readonly floats: Fill;
  readonly wholes: Fill;
}

const spiky: (spike: number) => Fill = (spike) => (length, random) => {
  const place = Math.floor(random() * length);
  return (index) => (index === place ? spike : 0);
};

const even: (least: number, most: number) => Fill = (least, most) => (_, random) => () =>
  least + (most - least) * random();

const SPIKE: Spread = { floats: spiky(3), wholes: spiky(0.999) };

/** Much larger in magnitude than all others, and mostly of one sign, so that a sum over it has that sign. */
const LOUD: Spread = {
  floats: (_, random, isHalf) => () => (isHalf ? 100 : 1000) * Math.abs(normal(random)) * (random() < 0.8 ? 1 : -1),
  wholes: (_, random) => () => 1 - random() ** 3 / 2 - 1e-9,
};
const NORMAL: Spread = { floats: (_, random) => () => normal(random), wholes: even(0, 1) };
const QUIET: Spread = {
  floats: (_, random) => () => 0.001 * normal(random),
  wholes: (_, random) => () => random() ** 4,
};
const NEGATIVE: Spread = { floats: (_, random) => () => -1 - 0.2 * Math.abs(normal(random)), wholes: even(0.25, 0.75) };
const POSITIVE: Spread = { floats: even(0, 1), wholes: even(0, 1) };

/**
 * Spreads of the compared items, and of the items that take their places as batch-mates. The batch-mates of each item
 * are replaced by items of another magnitude and sign, so an output that depends on the maximum, minimum or sum of a
 * batch changes. The second compared item has by far the largest magnitude; its replacement has the opposite sign.
 */
const SPREADS = {
  signed: { compared: [NORMAL, LOUD, POSITIVE, NEGATIVE], mates: [QUIET, NEGATIVE, SPIKE, NORMAL] },
  /** For models that take the logarithm of an input, or use it as an index into a table. */
  unit: {
    compared: [POSITIVE, scaled(0.9, 1), scaled(0, 0.01), scaled(0.2, 0.3)],
    mates: [scaled(0, 0.001), scaled(0.1, 0.2), { ...SPIKE, floats: spiky(0.5) }, POSITIVE],
  },
} as const satisfies Record<string, { readonly compared: readonly Spread[]; readonly mates: readonly Spread[] }>;

function scaled(least: number, most: number): Spread {
  return { floats: even(least, most), wholes: even(0, 1) };
}

/** Draws from the standard normal distribution by the Box-Muller transform. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The mulberry32 generator. Mixes the seeds, so that any difference between them gives an unrelated sequence. */
function randomFrom(...seeds: readonly number[]): Random {
  let state = seeds.reduce(
    (mixed, seed) => Math.imul(mixed ^ (seed + 0x7f4a7c15), 0x9e3779b1) ^ (mixed >>> 15),
    0x2545f491,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the number of rows in feeds: 1 if no input has a batch axis. */
export function rowsIn({ inputs }: ModelSignature, feeds: Readonly<Record<string, Pick<Tensor, "dims">>>): number {
  const input = inputs.find(({ batchAxis }) => batchAxis !== null);
  return input === undefined ? 1 : (feeds[input.name]?.dims[input.batchAxis ?? 0] ?? 0);
}

/** Returns the item of a row. Shares the row's memory. */
export function itemOfRow(plans: readonly InputPlan[], { data, sizes }: PreparedItem): GeneratedItem {
  const tensors = plans.flatMap((plan, index): [string, Tensor][] => {
    const elements = data[index] ?? null;
    return elements === null
      ? []
      : [[plan.name, { type: plan.element.type, dims: dimsFor(plan, sizes), data: elements }]];
  });
  return Object.fromEntries(tensors);
}

/**
 * Returns the item of feeds whose rows all hold that item, unpadded. Shares memory with the feeds if they have one row.
 */
export function itemOfFeeds(plans: readonly InputPlan[], feeds: Readonly<Record<string, Tensor>>): GeneratedItem {
  const tensors = plans.flatMap((plan): [string, Tensor][] => {
    const tensor = givenIn(feeds, plan.name);
    return tensor === undefined || isFilledMask(plan, tensor.data) ? [] : [[plan.name, firstRow(plan, tensor)]];
  });
  return Object.fromEntries(tensors);
}

function firstRow({ batchAxis }: InputPlan, tensor: Tensor): Tensor {
  const { type, dims, data } = tensor;
  if (batchAxis === null) return tensor;
  const rowDims = dims.toSpliced(batchAxis, 1);
  if (data.length === volumeOf(rowDims)) return { type, dims: rowDims, data };
  const region = { dims, starts: dims.map(() => 0), sizes: dims.with(batchAxis, 1) };
  return { type, dims: rowDims, data: readRegion(data, region) };
}

/** Returns true for a mask that marks everything. Framebatch fills in such a mask if the caller omits it. */
function isFilledMask({ maskValue }: InputPlan, data: TensorData): boolean {
  return maskValue !== undefined && Array.from<unknown>(data).every((element) => element === maskValue);
}

/** Maximum change of an element, as a share of it. Outputs then change by far more than by rounding alone. */
const SHARES: Readonly<Partial<Record<TensorInfo["type"], number>>> = {
  float16: 2 ** -8,
  float32: 2 ** -14,
  float64: 2 ** -14,
};

/** Returns true if the input has last bits to move. Masks have none: their values are exact. */
export function hasLastBits({ name, type, batchAxis }: TensorInfo): boolean {
  return type in SHARES && batchAxis !== null && !isMask(name);
}

/** Returns the row with the last bits of its floating-point elements moved away from 0, each by another amount. */
export function moveLastBits(row: PreparedItem, { inputs }: ModelSignature, seed: number): PreparedItem {
  const data = row.data.map((elements, input) => {
    const info = inputs[input];
    return elements === null || info === undefined || !hasLastBits(info)
      ? elements
      : moveElements(elements, info, seed);
  });
  return { ...row, data };
}

function moveElements(data: TensorData, { type }: TensorInfo, seed: number): TensorData {
  const share = SHARES[type];
  if (share === undefined) return data;
  const element = elementOf(type);
  const random = randomFrom(seed);
  const elements = elementsOf({ type, data, dims: [] });
  const copy = element.create(elements.length);
  const target = writable(copy);
  for (let index = 0; index < elements.length; index++) {
    target[index] = element.parse(Number(elements[index]) * (1 + share * random()));
  }
  return copy;
}

import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { Extent } from "@framebatch/rows/padding/extents.js";
import type { PaddingPlan } from "@framebatch/rows/padding/plan.js";
import { dimsFor, planInputs, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { randomFrom, SPREADS, type Random, type Spread } from "./element-spread.js";

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
export interface DrawnItems {
  readonly compared: readonly GeneratedItem[];
  readonly mates: readonly GeneratedItem[];
}

const FLOAT_TYPES = /^float/;
/**
 * An input with such a name may exclude what it marks with 0 from the output, and so hide differences between items.
 */
const MASK = /mask/i;

export function isMask(input: string): boolean {
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

import type { ModelSignature } from "../core/model-signature.js";
import type { Extent } from "../core/padding-extents.js";
import type { PaddingPlan } from "../core/padding-plan.js";
import { dimsFor, planInputs, type InputPlan } from "../core/tensor-plan.js";
import { volumeOf } from "../core/item-volume.js";
import { writable } from "../core/tensor-writing.js";
import type { Tensor } from "../core/tensor.js";

/** How items are made up. */
export interface Draw {
  readonly seed: number;
  readonly count: number;
  /** Whole numbers are drawn from 0 up to this, exclusive: as ids they must be in every table that they look up. */
  readonly integersBelow: number;
  /** Size of dynamic dimensions whose right sizes nobody tells. */
  readonly guess: number;
}

type Random = () => number;

const FLOATING = /^float/;
/** What an input of this name marks with 0 may be left out of the answer, and with it all that tells items apart. */
const MASK = /mask/i;

/**
 * Items of which no two are alike, the same for the same draw. Sizes that padding can raise differ from item to item, all others
 * are alike; so are shared inputs. Masks that framebatch fills are left out, and others mark everything.
 */
export function drawItems(signature: ModelSignature, padding: PaddingPlan, draw: Draw): Record<string, Tensor>[] {
  const plans = planInputs(signature, padding).filter(({ maskValue }) => maskValue === undefined);
  return Array.from({ length: draw.count }, (_, item) => {
    const sizes = padding.extents.map((extent) => sizeOf(extent, draw, item));
    const tensors = plans.map((plan, input) => {
      const seed = plan.batchAxis === null ? draw.seed : draw.seed + 1 + item;
      return [plan.name, drawTensor(plan, sizes, draw, randomFrom(1000 * seed + input))];
    });
    return Object.fromEntries(tensors);
  });
}

/** The first item is as large as its bucket, the others smaller by equal steps. */
function sizeOf({ buckets, multipleOf, isPadded }: Extent, { guess, count }: Draw, item: number): number {
  const steps = buckets?.[0] ?? Math.max(guess === 1 ? 1 : 2, Math.ceil(guess / multipleOf));
  return multipleOf * Math.ceil((steps * (isPadded ? count - item : count)) / count);
}

function drawTensor(plan: InputPlan, sizes: readonly number[], draw: Draw, random: Random): Tensor {
  const dims = dimsFor(plan, sizes);
  const { type } = plan.element;
  const data = plan.element.create(volumeOf(dims));
  const elements = writable(data);
  for (let index = 0; index < elements.length; index++) {
    elements[index] = plan.element.parse(drawElement(plan, draw, random));
  }
  return { type, dims, data };
}

function drawElement({ name, element: { type } }: InputPlan, { integersBelow }: Draw, random: Random) {
  if (MASK.test(name) && type !== "string") return 1;
  if (FLOATING.test(type)) return 2 * random() - 1;
  if (type === "string") return `text ${Math.floor(random() * 1000)}`;
  return Math.floor(random() * (type === "bool" ? 2 : integersBelow));
}

/** Numbers in [0, 1): the mulberry32 generator. */
function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

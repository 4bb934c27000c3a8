import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PaddingPlan } from "@framebatch/rows/padding/plan.js";
import { dimsFor, planInputs, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ElementValue } from "@framebatch/rows/tensor/element-types.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";

/** Batches of any number of rows, for trials and warm-ups. */
export interface TrialFeeds {
  /** See `ItemShape`: the sizes to which rows are padded. */
  readonly extents: readonly number[];
  /** Number of elements in one row of all inputs. */
  readonly elements: number;
  of(rows: number): Record<string, Tensor>;
}

/** What the elements of feeds are that no user has given. */
export type TrialElement = 0 | 1;

/**
 * Returns feeds for a model that are the same in every element, with masks that mark everything. Strings are empty.
 *
 * @param guess size of dynamic dimensions that have no buckets, rounded up to the dimension's multiple
 * @param bucket index of the bucket that sets the size of other dynamic dimensions, from the smallest; default: 0
 */
export function trialFeeds(
  signature: ModelSignature,
  padding: PaddingPlan,
  guess: number,
  element: TrialElement,
  bucket = 0,
): TrialFeeds {
  const plans = planInputs(signature, padding);
  const sizes = padding.extents.map(
    ({ buckets, multipleOf }) =>
      buckets?.[Math.min(bucket, buckets.length - 1)] ?? Math.ceil(guess / multipleOf) * multipleOf,
  );
  return {
    extents: sizes,
    elements: plans.reduce((sum, plan) => sum + volumeOf(dimsFor(plan, sizes)), 0),
    of: (rows) => Object.fromEntries(plans.map((plan) => [plan.name, constant(plan, sizes, rows, element)])),
  };
}

function constant(plan: InputPlan, sizes: readonly number[], rows: number, element: TrialElement): Tensor {
  const rowDims = dimsFor(plan, sizes);
  const dims = plan.batchAxis === null ? rowDims : rowDims.toSpliced(plan.batchAxis, 0, rows);
  const data = plan.element.create(volumeOf(dims));
  const value = plan.maskValue ?? (element === 0 ? undefined : plan.element.parse(element));
  if (value !== undefined) fill(data, value);
  return { type: plan.element.type, dims, data };
}

function fill(data: Tensor["data"], value: ElementValue): void {
  const elements = writable(data);
  for (let index = 0; index < elements.length; index++) elements[index] = value;
}

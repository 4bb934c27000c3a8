import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PaddingPlan } from "@framebatch/rows/padding/plan.js";
import { dimsFor, planInputs, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
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

/**
 * Returns zeros for a model, with masks that mark everything.
 *
 * @param guess size of dynamic dimensions that have no buckets, rounded up to the dimension's multiple
 * @param bucket index of the bucket that sets the size of other dynamic dimensions, from the smallest; default: 0
 */
export function zeroFeeds(signature: ModelSignature, padding: PaddingPlan, guess: number, bucket = 0): TrialFeeds {
  const plans = planInputs(signature, padding);
  const sizes = padding.extents.map(
    ({ buckets, multipleOf }) =>
      buckets?.[Math.min(bucket, buckets.length - 1)] ?? Math.ceil(guess / multipleOf) * multipleOf,
  );
  return {
    extents: sizes,
    elements: plans.reduce((sum, plan) => sum + volumeOf(dimsFor(plan, sizes)), 0),
    of: (rows) => Object.fromEntries(plans.map((plan) => [plan.name, constant(plan, sizes, rows)])),
  };
}

function constant(plan: InputPlan, sizes: readonly number[], rows: number): Tensor {
  const rowDims = dimsFor(plan, sizes);
  const dims = plan.batchAxis === null ? rowDims : rowDims.toSpliced(plan.batchAxis, 0, rows);
  const data = plan.element.create(volumeOf(dims));
  if (plan.maskValue !== undefined) fill(data, plan.maskValue);
  return { type: plan.element.type, dims, data };
}

function fill(data: Tensor["data"], value: unknown): void {
  const elements = writable(data);
  for (let index = 0; index < elements.length; index++) elements[index] = value;
}

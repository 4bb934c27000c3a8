import type { ModelSignature } from "../../core/model/signature.js";
import type { PaddingPlan } from "../../core/padding/plan.js";
import { dimsFor, planInputs, type InputPlan } from "../../core/collate/input-plan.js";
import { volumeOf } from "../../core/shape.js";
import { writable } from "../../core/tensor/writing.js";
import type { Tensor } from "../../core/tensor/tensor.js";

/** Batches of any number of rows, for trials and warm-ups. */
export interface TrialFeeds {
  /** As in `ItemShape`: what the rows are padded to. */
  readonly extents: readonly number[];
  /** In one row, all inputs together. */
  readonly elements: number;
  of(rows: number): Record<string, Tensor>;
}

/** Zeros for a model, with masks of ones. Dynamic sizes of the items are a bucket (the smallest, unless another is named), or `guess`. */
export function zeroFeeds(signature: ModelSignature, padding: PaddingPlan, guess: number, bucket = 0): TrialFeeds {
  const plans = planInputs(signature, padding);
  const sizes = padding.extents.map(
    ({ buckets, multipleOf }) =>
      buckets?.[Math.min(bucket, buckets.length - 1)] ?? Math.ceil(guess / multipleOf) * multipleOf,
  );
  return {
    extents: sizes.slice(0, padding.paddedCount),
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

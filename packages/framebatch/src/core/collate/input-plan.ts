import { planChecks, type ElementCheck, type Validation } from "./input-range.js";
import type { ModelSignature } from "../model/signature.js";
import type { PaddingPlan } from "../padding/plan.js";
import { type ElementValue, type TensorElement, elementOf } from "../tensor/element-types.js";

/** All that admitting and stacking one input needs, worked out once. */
export interface InputPlan {
  readonly name: string;
  readonly element: TensorElement;
  /** Where the batch goes among the item's dims, or `null` for an input that the batch shares. */
  readonly batchAxis: number | null;
  /** The item's own dims; `null` where dynamic. */
  readonly dims: readonly (number | null)[];
  readonly symbols: readonly (string | null)[];
  /** By item dim: its place in `PaddingPlan.extents`, -1 where fixed. */
  readonly extentOf: readonly number[];
  /** Elements of an item whose dims are all fixed, else -1. */
  readonly fixedLength: number;
  /** Product of the dims that are fixed. */
  readonly unitLength: number;
  readonly padValue: ElementValue | undefined;
  /** What fills this mask where the caller leaves it out, or `undefined` for an input that must be given. */
  readonly maskValue: ElementValue | undefined;
  /** What the elements must be beyond their type; `null` for no check. */
  readonly check: ElementCheck | null;
}

/** A plan for each input, in the signature's order. */
export function planInputs(signature: ModelSignature, padding: PaddingPlan, validate: Validation = {}): InputPlan[] {
  const checks = planChecks(signature.inputs, validate);
  return signature.inputs.map(({ name, type, dims, symbols, batchAxis }, index) => {
    const itemDims = dims.filter((_, axis) => axis !== batchAxis);
    const unitLength = itemDims.reduce<number>((product, size) => product * (size ?? 1), 1);
    const inputPadding = padding.inputs[index];
    return {
      name,
      element: elementOf(type),
      batchAxis,
      dims: itemDims,
      symbols: symbols.filter((_, axis) => axis !== batchAxis),
      extentOf: inputPadding?.extentOf ?? [],
      fixedLength: itemDims.includes(null) ? -1 : unitLength,
      unitLength,
      padValue: inputPadding?.value,
      maskValue: inputPadding?.maskValue,
      check: checks[index] ?? null,
    };
  });
}

/** The dims that an item's tensor has where its dynamic sizes are `sizes`. */
export function dimsFor(plan: InputPlan, sizes: readonly number[]): number[] {
  return plan.dims.map((size, axis) => size ?? sizes[plan.extentOf[axis] ?? -1] ?? 0);
}

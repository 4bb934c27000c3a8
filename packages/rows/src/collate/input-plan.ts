import type { ElementCheck } from "./input-range.js";
import type { ModelSignature } from "../model/signature.js";
import type { InputPadding, PaddingPlan } from "../padding/padding-plan.js";
import { elementOf, type TensorElement } from "../tensor/element-types.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims, typedArrayClass } from "@framebatch/batcher/errors/description.js";

/** Precomputed data for reading and stacking one input. */
export interface InputPlan extends InputPadding {
  readonly name: string;
  readonly element: TensorElement;
  /** Position of the batch axis among the item's dims, or `null` for an input that the batch shares. */
  readonly batchAxis: number | null;
  /** The item's own dims; `null` for a dynamic one. */
  readonly dims: readonly (number | null)[];
  readonly symbols: readonly (string | null)[];
  /** `dims` if all are fixed; otherwise `null`. */
  readonly fixedDims: readonly number[] | null;
  /** Number of elements of an item whose dims are all fixed, otherwise -1. */
  readonly fixedLength: number;
  /** Product of the fixed dims. */
  readonly unitLength: number;
  /** Check of the elements beyond their type; `null` for none. */
  readonly check: ElementCheck | null;
}

/**
 * Returns a plan for each input, in the order of the signature.
 * @param checks those of the elements of each input, see `planChecks`
 */
export function planInputs(
  signature: ModelSignature,
  padding: PaddingPlan,
  checks: readonly (ElementCheck | null)[] = [],
): InputPlan[] {
  return signature.inputs.map(({ name, type, dims, symbols, batchAxis }, index) => {
    const itemDims = dims.filter((_, axis) => axis !== batchAxis);
    const unitLength = itemDims.reduce<number>((product, size) => product * (size ?? 1), 1);
    return {
      ...padding.inputs[index]!,
      name,
      element: elementOf(type),
      batchAxis,
      dims: itemDims,
      fixedDims: itemDims.every((size) => size !== null) ? itemDims : null,
      symbols: symbols.filter((_, axis) => axis !== batchAxis),
      fixedLength: itemDims.includes(null) ? -1 : unitLength,
      unitLength,
      check: checks[index] ?? null,
    };
  });
}

/** Returns the dims of an item's tensor with the dynamic sizes `sizes`. */
export function dimsFor(plan: InputPlan, sizes: readonly number[]): number[] {
  return plan.dims.map((size, axis) => size ?? sizes[plan.extentOf[axis] ?? -1] ?? 0);
}

/** Returns the names in an item that are no inputs of the model. */
export function unknownNames(item: unknown, plans: readonly InputPlan[]): string[] {
  if (typeof item !== "object" || item === null || Array.isArray(item) || ArrayBuffer.isView(item)) return [];
  const given = Object.entries(item).filter(([, tensor]) => tensor !== undefined);
  return given.map(([name]) => name).filter((name) => !plans.some((plan) => plan.name === name));
}

/** Builds an error in the form `input "image": expected X, got Y; fix`. */
export function refuseInput(plan: InputPlan, expected: string, got: string, fix: string): FramebatchError {
  return new FramebatchError("INVALID_INPUT", `input "${plan.name}": expected ${expected}, got ${got}; ${fix}`, {
    details: { input: plan.name },
  });
}

/** The error for an array that the caller has given away. A queued item can still end with it. */
export function refuseDetached(plan: InputPlan, data: unknown): FramebatchError {
  const got = `one whose buffer was transferred away (detached ${typedArrayClass(data)})`;
  return refuseInput(plan, describePlan(plan), got, "predict before the transfer, or transfer a copy");
}

/** Returns what an input takes. */
export function describePlan(plan: InputPlan): string {
  return `${plan.element.type} ${describeDims(plan.dims, plan.symbols)}`;
}

import type { TensorType } from "../tensor/tensor.js";
import { refuseType } from "./input-errors.js";
import { type InputPlan, refuseInput } from "./input-plan.js";
import { checkDims } from "./input-snapshot.js";

/** A tensor of one item whose elements are elsewhere, such as in the worker of a group. */
export class AbsentTensor {
  readonly type: TensorType;
  /** The dims of the item, without the batch axis. */
  readonly dims: readonly number[];

  constructor(type: TensorType, dims: readonly number[]) {
    this.type = type;
    this.dims = dims;
  }
}

/** Returns the dims of a tensor for an input. @throws INVALID_INPUT when it does not fit the input */
export function absentDims(plan: InputPlan, { type, dims }: AbsentTensor): readonly number[] {
  if (plan.batchAxis === null) {
    const expected = "elements, because all items of a batch share them";
    throw refuseInput(plan, expected, "a tensor that stays on the device", "predict it without keepOnDevice");
  }
  if (type !== plan.element.type) throw refuseType(plan, type);
  return checkDims(plan, dims);
}

import { halfFloatValue } from "../tensor/half-float.js";
import type { InputPlan } from "./input-plan.js";
import { refuseInput } from "./refused-input.js";
import type { TensorData } from "../tensor/tensor.js";

/** A range that has been validated for its input. */
export interface Bounds {
  /** Whether NaN is rejected. `least` and `most` reject infinities. */
  readonly isFinite: boolean;
  readonly least: number;
  readonly most: number;
}

/** Checks every element of an input. @throws INVALID_INPUT when one fails; the error names the first. */
export type ElementCheck = (plan: InputPlan, data: TensorData) => void;

/** Returns the check that every element is within bounds. */
export function elementCheck(bounds: Bounds): ElementCheck {
  return (plan, data) => {
    const index = firstOutside(plan, bounds, data);
    if (index < 0) return;
    const value = valueAt(plan, data, index);
    const isStrange = typeof value === "number" && !Number.isFinite(value);
    const expected = isStrange && bounds.isFinite ? "finite elements" : `elements ${describeRange(bounds)}`;
    const fix = isStrange ? "look for what made it" : "correct it, or the range in validate";
    throw refuseInput(plan, expected, `${String(value)} at index ${index}`, fix);
  };
}

function firstOutside(plan: InputPlan, { isFinite, least, most }: Bounds, data: TensorData): number {
  for (let index = 0; index < data.length; index++) {
    const value = valueAt(plan, data, index);
    if (value >= least && value <= most) continue;
    if (isFinite || !Number.isNaN(value)) return index;
  }
  return -1;
}

/** Without a native `Float16Array`, half floats are stored as raw bits. */
function valueAt({ element }: InputPlan, data: TensorData, index: number): number | bigint {
  const value = data[index];
  if (typeof value !== "number") return typeof value === "bigint" ? value : 0;
  return element.type === "float16" && element.arrayName === "Uint16Array" ? halfFloatValue(value) : value;
}

function describeRange({ least, most }: Bounds): string {
  const [hasLeast, hasMost] = [least > -Number.MAX_VALUE, most < Number.MAX_VALUE];
  if (hasLeast && hasMost) return `from ${least} to ${most}`;
  return hasLeast ? `of ${least} or more` : `of ${most} or less`;
}

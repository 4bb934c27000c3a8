import { describeValue } from "@framebatch/batcher/errors/description.js";
import { invalidOption, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { TensorData, TensorInfo, TensorType } from "../tensor/tensor.js";
import { halfFloatValue } from "../tensor/half-float.js";
import { type InputPlan, refuseInput } from "./input-plan.js";

/** The valid range of an input's elements, checked at each call. */
export interface InputRange {
  /** Whether to reject NaN and infinities. @default true */
  readonly finite?: boolean;
  /** Smallest valid element, inclusive. @default none */
  readonly min?: number;
  /** Largest valid element, inclusive. @default none */
  readonly max?: number;
}

/** Ranges by input name, or `"finite"` to require finite elements in every floating-point input. */
export type Validation = "finite" | Readonly<Record<string, InputRange>>;

/**
 * Returns what checks the elements of each input, `null` for none. Loads with the checks of options, so only they
 * import it.
 */
export type PlanChecks = typeof planChecks;

const FLOAT_INPUTS: ReadonlySet<TensorType> = new Set<TensorType>(["float16", "float32", "float64"]);

/**
 * Returns the check of each input, `null` for none. The types and names of the options were validated before the model
 * was loaded.
 * @throws INVALID_OPTION when a name is not an input's, or when no element can be in a range.
 */
export function planChecks(inputs: readonly TensorInfo[], validate: Validation = {}): (ElementCheck | null)[] {
  if (validate === "finite")
    return inputs.map(({ type }) => (FLOAT_INPUTS.has(type) ? elementCheck(boundsOf({})) : null));
  const names = inputs.map(({ name }) => name);
  for (const name of Object.keys(validate)) {
    if (!names.includes(name)) throw unknownNameError("validate", "an input", name, names);
  }
  return inputs.map((input) => {
    const range = Object.hasOwn(validate, input.name) ? validate[input.name] : undefined;
    if (range === undefined) return null;
    checkRange(`validate["${input.name}"]`, range, input.type);
    return elementCheck(boundsOf(range));
  });
}

function boundsOf({ finite = true, min, max }: InputRange): Bounds {
  const farthest = finite ? Number.MAX_VALUE : Infinity;
  return { isFinite: finite, least: min ?? -farthest, most: max ?? farthest };
}

function checkRange(path: string, range: InputRange, type: TensorType): void {
  const { finite, min, max } = range;
  if (type === "string") throw invalidOption(path, "an input of numbers, got one of strings; remove it");
  if (finite !== undefined && typeof finite !== "boolean") {
    throw invalidOption(`${path}.finite`, `true or false, got ${describeValue(finite)}; leave it out for true`);
  }
  checkBound(`${path}.min`, min);
  checkBound(`${path}.max`, max);
  if (min !== undefined && max !== undefined && min > max) {
    throw invalidOption(path, `min to be at most max, got ${min} and ${max}; swap them`);
  }
  checkWithin(path, range, type);
}

function checkBound(path: string, bound: unknown): void {
  if (bound === undefined || (typeof bound === "number" && !Number.isNaN(bound))) return;
  throw invalidOption(path, `a number, got ${describeValue(bound)}; leave it out for none`);
}

/** A range without any value of the integer type would reject every item. */
function checkWithin(path: string, { min, max }: InputRange, type: TensorType): void {
  const [least, most] = LIMITS[type] ?? [-Infinity, Infinity];
  const [first, last] = [Math.max(least, min ?? least), Math.min(most, max ?? most)];
  if (FLOAT_INPUTS.has(type) || Math.ceil(first) <= last) return;
  throw invalidOption(path, `a range with a value of ${type} in it, got ${min ?? least} to ${max ?? most}; correct it`);
}

const LIMITS: Readonly<Partial<Record<TensorType, readonly [least: number, most: number]>>> = {
  bool: [0, 1],
  int8: [-(2 ** 7), 2 ** 7 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  uint8: [0, 2 ** 8 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};

/** A range that has been validated for its input. */
interface Bounds {
  /** Whether NaN is rejected. `least` and `most` reject infinities. */
  readonly isFinite: boolean;
  readonly least: number;
  readonly most: number;
}

/** Checks every element of an input. @throws INVALID_INPUT when one fails; the error names the first. */
export type ElementCheck = (plan: InputPlan, data: TensorData) => void;

/** Returns the check that every element is within bounds. */
function elementCheck(bounds: Bounds): ElementCheck {
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

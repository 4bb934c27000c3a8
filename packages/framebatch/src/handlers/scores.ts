import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { areHalfFloatBits, halfFloatValue } from "@framebatch/rows/tensor/half-float.js";
import type { TensorElements, TensorLike } from "@framebatch/rows/tensor/tensor.js";

/** Numbers in rows of equal length: the last axis of a tensor. */
export interface Rows {
  readonly values: ArrayLike<number>;
  readonly rowLength: number;
}

const EXPECTED = "a tensor of numbers, or an array of them";

/**
 * Reads a tensor of numbers. A tensor without dims is one row.
 * @throws INVALID_INPUT when it has no numbers, or fewer or more than its dims say
 */
export function rowsOf(name: string, tensor: TensorLike): Rows {
  if (typeof tensor !== "object" || tensor === null) throw invalid(name, EXPECTED, describeValue(tensor));
  const { data, dims, type } = "data" in tensor ? tensor : { data: tensor };
  const values = numbersOf(data, type);
  if (values === undefined) throw invalid(name, EXPECTED, describeValue(data));
  const shape = dims ?? [values.length];
  // Two negative dims have a positive product.
  const size = shape.reduce((product, dim) => (Number.isSafeInteger(dim) && dim > 0 ? product * dim : NaN), 1);
  if (size === values.length) return { values, rowLength: shape.at(-1) ?? 1 };
  const got = `${values.length} elements with dims ${describeDims(shape)}`;
  throw invalid(name, "at least one element, and as many as the product of the dims", got);
}

/**
 * Reads a tensor of one row.
 * @throws INVALID_INPUT when it has no numbers, or more than one row
 */
export function rowOf(name: string, tensor: TensorLike): ArrayLike<number> {
  const { values, rowLength } = rowsOf(name, tensor);
  if (values.length === rowLength) return values;
  throw invalid(name, "one row", `${values.length / rowLength} rows`);
}

/** Browsers without `Float16Array` give the elements of a `float16` tensor as raw bits. */
function numbersOf(data: TensorElements, type: string | undefined): ArrayLike<number> | undefined {
  if (type === "float16" && areHalfFloatBits(data)) return Float32Array.from(data, halfFloatValue);
  return isNumbers(data) ? data : undefined;
}

function isNumbers(data: unknown): data is ArrayLike<number> {
  if (Array.isArray(data)) return data.every((element) => typeof element === "number");
  return ArrayBuffer.isView(data) && "length" in data && typeof Reflect.get(data, 0) !== "bigint";
}

function invalid(name: string, expected: string, got: string): FramebatchError {
  const fix = "pass an output of the model, or a part of its data";
  return new FramebatchError("INVALID_INPUT", `${name}: expected ${expected}, got ${got}; ${fix}`);
}

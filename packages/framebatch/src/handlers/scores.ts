import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { areHalfFloatBits, halfFloatValue } from "@framebatch/rows/tensor/half-float.js";
import type { TensorElements, TensorLike } from "@framebatch/rows/tensor/tensor.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";

/** Numbers in rows of equal length: the last axis of a tensor. */
interface Rows {
  readonly values: ArrayLike<number>;
  readonly rowLength: number;
}

const EXPECTED = "a tensor of numbers, or an array of them";

/**
 * Reads a tensor of numbers. A tensor without dims is one row.
 * @throws INVALID_INPUT when it has no numbers, or fewer or more than its dims say
 */
function rowsOf(name: string, tensor: TensorLike): Rows {
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
function rowOf(name: string, tensor: TensorLike): ArrayLike<number> {
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

/**
 * Converts logits into probabilities over the last axis: exp(x - max) / sum(exp(x - max)). Subtracting the maximum of
 * the row changes no result and avoids overflow (Goodfellow, Bengio, Courville: Deep Learning, section 4.1).
 *
 * @param logits an output of a model, or numbers. Dims [..., classes]; without dims, one row.
 * @returns as many probabilities, in the same order; the caller owns the array. Each row sums to 1. A row with NaN or
 *   Infinity, or with nothing but -Infinity, is NaN.
 * @throws INVALID_INPUT when there are no numbers, or they do not fit the dims
 * @example const probabilities = softmax(outputs.logits);
 */
export function softmax(logits: TensorLike): Float32Array {
  const rows = rowsOf("logits", logits);
  const probabilities = new Float32Array(rows.values.length);
  for (let start = 0; start < probabilities.length; start += rows.rowLength) fillRow(probabilities, rows, start);
  return probabilities;
}

function fillRow(probabilities: Float32Array, { values, rowLength }: Rows, start: number): void {
  const end = start + rowLength;
  let largest = -Infinity;
  for (let at = start; at < end; at++) largest = Math.max(largest, values[at] ?? 0);
  let sum = 0;
  for (let at = start; at < end; at++) {
    const power = Math.exp((values[at] ?? 0) - largest);
    probabilities[at] = power;
    sum += power;
  }
  for (let at = start; at < end; at++) probabilities[at] = (probabilities[at] ?? 0) / sum;
}

/** A score and its position. */
export interface RankedScore {
  /** The position in the row of scores, from 0: the number of the class. */
  readonly index: number;
  /** The score at that position. */
  readonly score: number;
}

/** A score, its position, and the label at that position. */
export interface LabeledScore<Label> extends RankedScore {
  /** The label at `index`. */
  readonly label: Label;
}

/**
 * Returns the `k` highest scores, highest first. Of equal scores, the one with the lower index comes first. NaN ranks
 * below every number.
 *
 * @param scores one row: an output of a model, or numbers
 * @param k how many, at least 1. If there are fewer scores, all are returned.
 * @throws INVALID_OPTION when `k` is no whole number from 1
 * @throws INVALID_INPUT when there are no numbers, or more than one row
 * @example const [best] = topK(softmax(outputs.logits), 1); // { index: 1, score: 0.9 }
 */
export function topK(scores: TensorLike, k: number): [RankedScore, ...RankedScore[]];
/**
 * Returns the `k` highest scores with their labels, highest first.
 *
 * @param scores one row: an output of a model, or numbers
 * @param k how many, at least 1. If there are fewer scores, all are returned.
 * @param labels one for each score, in the order of the classes
 * @throws INVALID_OPTION when `k` is no whole number from 1, or the number of labels differs
 * @throws INVALID_INPUT when there are no numbers, or more than one row
 * @example topK(softmax(outputs.logits), 3, ["cat", "dog", "bird"]); // [{ index: 1, score: 0.9, label: "dog" }, …]
 */
export function topK<Label>(
  scores: TensorLike,
  k: number,
  labels: readonly Label[],
): [LabeledScore<Label>, ...LabeledScore<Label>[]];
export function topK<Label>(scores: TensorLike, k: number, labels?: readonly Label[]): RankedScore[] {
  const values = rowOf("scores", scores);
  if (!Number.isInteger(k) || k < 1)
    throw optionError("k", "a whole number from 1", k, "pass how many scores to return");
  // A plain script may pass null.
  if (labels !== undefined && labels?.length !== values.length) {
    throw optionError("labels", `one for each of ${values.length} scores`, labels, "pass the labels of this model");
  }
  return highest(values, k).map((index) => {
    const ranked = { index, score: values[index] ?? NaN };
    return labels === undefined ? ranked : { ...ranked, label: labels[index] };
  });
}

/** NaN is lower than every number, also than -Infinity. */
function isHigher(value: number, other: number): boolean {
  return value > other || (Number.isNaN(other) && !Number.isNaN(value));
}

/** Returns the indices of the `k` highest values: each value goes to its place among the best before it. */
function highest(values: ArrayLike<number>, k: number): number[] {
  const best: number[] = [];
  for (let index = 0; index < values.length; index++) {
    const isAbove = (other: number) => isHigher(values[index] ?? NaN, values[other] ?? NaN);
    if (best.length === k && !isAbove(best[k - 1] ?? 0)) continue;
    let [place, end] = [0, best.length];
    while (place < end) {
      const middle = (place + end) >> 1;
      if (isAbove(best[middle] ?? 0)) end = middle;
      else place = middle + 1;
    }
    best.splice(place, 0, index);
    if (best.length > k) best.pop();
  }
  return best;
}

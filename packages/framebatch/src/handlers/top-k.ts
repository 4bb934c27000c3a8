import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { TensorLike } from "@framebatch/rows/tensor/tensor.js";
import { rowOf } from "./scores.js";

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

import { rowsOf, type Rows } from "./scores.js";
import type { TensorLike } from "@framebatch/rows/tensor/tensor.js";

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

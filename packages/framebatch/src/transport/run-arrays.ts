import { isList } from "../core/collate/answered-rows.js";
import { isPacked, isTyped, type TypedData } from "../core/collate/sent-rows.js";
import { setOwn } from "../core/tensor/record.js";
import type { Tensor } from "../core/tensor/tensor.js";
import { TYPES } from "./array-area.js";
import type { RowsAnswer, RowsRequest } from "./protocol.js";

/** Returns a request as arrays: its numbers, then the columns. Returns `null` if a column is not packed, or a row is a step. */
export function arraysOfRequest({ rows, paddedSize, extents, steps }: RowsRequest): TypedData[] | null {
  if (steps !== undefined) return null;
  const columns = rows.columns.filter(isPacked);
  if (columns.length < rows.columns.length) return null;
  return [Float64Array.of(rows.count, paddedSize, extents.length, ...extents, ...rows.sizes), ...columns];
}

export function requestOfArrays([numbers, ...columns]: readonly TypedData[]): RowsRequest {
  const [count = 0, paddedSize = 0, width = 0, ...sizes] = numbersIn(numbers);
  const extents = sizes.splice(0, width);
  return { rows: { count, sizes, columns }, paddedSize, extents };
}

/** Returns an answer as arrays: its numbers, then the outputs. Returns `null` if an output is not one tensor of numbers. */
export function arraysOfAnswer({ outputs, inferenceMs }: RowsAnswer): TypedData[] | null {
  const numbers = [inferenceMs];
  const arrays: TypedData[] = [];
  for (const rows of Object.values(outputs)) {
    if (isList(rows) || !isTyped(rows.data)) return null;
    numbers.push(TYPES.indexOf(rows.type), rows.dims.length, ...rows.dims);
    arrays.push(rows.data);
  }
  return [Float64Array.from(numbers), ...arrays];
}

/** @param names names of the outputs, in the order of the answer */
export function answerOfArrays(names: readonly string[], [numbers, ...arrays]: readonly TypedData[]): RowsAnswer {
  const [inferenceMs = 0, ...rest] = numbersIn(numbers);
  const outputs: Record<string, Tensor> = {};
  for (const [index, data] of arrays.entries()) {
    const [type = 0, rank = 0] = rest.splice(0, 2);
    setOwn(outputs, names[index]!, { type: TYPES[type]!, dims: rest.splice(0, rank), data });
  }
  return { ok: true, outputs, inferenceMs };
}

function numbersIn(array: TypedData | undefined): number[] {
  return array instanceof Float64Array ? [...array] : [];
}

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { setOwn } from "../tensor/record.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { Tensor } from "../tensor/tensor.js";
import { ownsBuffer } from "./transfer-list.js";

/** One output of several rows: one tensor whose first axis counts the rows; or, of large or trimmed rows, a tensor for each. */
export type RowTensors = Tensor | readonly Tensor[];

/** The outputs of several rows, by name. */
export type AnsweredRows = Readonly<Record<string, RowTensors>>;

/**
 * Returns the outputs of each row, by name, in memory of their own.
 * @throws INFERENCE_FAILED when there are not as many as rows
 */
export function answersOf(outputs: AnsweredRows, count: number): Record<string, Tensor>[] {
  const answers = Array.from({ length: count }, (): Record<string, Tensor> => ({}));
  for (const [name, rows] of Object.entries(outputs)) {
    const got = isList(rows) ? rows.length : rows.dims[0];
    if (got !== count)
      throw new FramebatchError("INFERENCE_FAILED", `output "${name}": expected ${count} rows, got ${got}`);
    for (const [row, tensor] of tensorsOf(rows, count).entries()) setOwn(answers[row]!, name, tensor);
  }
  return answers;
}

/** Returns the tensor of each row, in memory of its own. */
export function tensorsOf(rows: RowTensors, count: number): readonly Tensor[] {
  if (isList(rows)) return rows;
  const { type, dims, data } = rows;
  const rowDims = Object.freeze(dims.slice(1));
  if (count === 1 && ownsBuffer(data)) return [{ type, dims: rowDims, data }];
  const length = volumeOf(rowDims);
  const tensors: Tensor[] = [];
  for (let row = 0; row < count; row++) {
    tensors.push({ type, dims: rowDims, data: data.slice(row * length, (row + 1) * length) });
  }
  return tensors;
}

/** Whether each row has its own tensor. */
export function isList(rows: RowTensors): rows is readonly Tensor[] {
  return Array.isArray(rows);
}

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { setOwn } from "../tensor/record.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { Tensor } from "../tensor/tensor.js";
import { buffersIn, ownsBuffer } from "./sent-rows.js";

/** One output of several rows: one tensor whose first axis counts the rows; or, of large or trimmed rows, a tensor for each. */
export type RowTensors = Tensor | readonly Tensor[];

/** The outputs of several rows, by name. */
export type AnsweredRows = Readonly<Record<string, RowTensors>>;

/**
 * Returns the outputs of each row, by name, in memory of their own.
 * @throws INFERENCE_FAILED when there are not as many as rows
 */
export function answersOf(outputs: AnsweredRows, count: number): Record<string, Tensor>[] {
  const answers: Record<string, Tensor>[] = [];
  while (answers.length < count) answers.push({});
  for (const name of Object.keys(outputs)) {
    const rows = outputs[name]!;
    const got = "data" in rows ? rows.dims[0] : rows.length;
    if (got !== count)
      throw new FramebatchError("INFERENCE_FAILED", `output "${name}": expected ${count} rows, got ${got}`);
    const tensors = tensorsOf(rows, count);
    for (let row = 0; row < count; row += 1) setOwn(answers[row]!, name, tensors[row]!);
  }
  return answers;
}

/** Returns the tensor of each row, in memory of its own. */
export function tensorsOf(rows: RowTensors, count: number): readonly Tensor[] {
  if (!("data" in rows)) return rows;
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

/** Returns the buffers to transfer with outputs. */
export function transferList(outputs: AnsweredRows): ArrayBuffer[] {
  const columns = Object.values(outputs).map((rows) => [rows].flat().map(({ data }) => data));
  return buffersIn({ columns });
}

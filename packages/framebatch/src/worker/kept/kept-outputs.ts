import { type AnsweredRows, type RowTensors, tensorsOf } from "@framebatch/rows/collate/sent-rows.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { KeptColumn } from "../../transport/kept-columns.js";
import type { DeviceRows } from "./device-rows.js";
import type { KeptRows } from "./kept-rows.js";

/**
 * Keeps tensors of rows that have run, and returns the answer for the page: the tensors that stay have types and dims, but no
 * elements.
 * @param onDevice outputs that are on the GPU, none of whose rows goes to the page
 * @param owner the model that has computed them
 */
export function keepRows(
  keeps: readonly KeptColumn[],
  answered: AnsweredRows,
  onDevice: ReadonlyMap<string, DeviceRows>,
  kept: KeptRows,
  owner: object,
): AnsweredRows {
  const outputs: Record<string, RowTensors> = { ...answered };
  for (const { name, ids } of keeps) {
    const rows = onDevice.get(name);
    const tensors = rows === undefined ? rowsOf(answered[name] ?? [], ids) : ids.map((_, row) => rows.row(row));
    const left = tensors.map((tensor, row): Tensor => {
      const id = ids[row] ?? null;
      if (id !== null) kept.keep(id, tensor, owner);
      return id === null && "data" in tensor ? tensor : withoutElements(tensor);
    });
    setOwn(outputs, name, left);
  }
  return outputs;
}

function withoutElements({ type, dims }: Pick<Tensor, "type" | "dims">): Tensor {
  return { type, dims, data: elementOf(type).create(0) };
}

/** Returns the tensor of each row. What goes to the page takes its memory along, so then each row has its own. */
function rowsOf(rows: RowTensors, ids: KeptColumn["ids"]): readonly Tensor[] {
  return ids.includes(null) ? tensorsOf(rows, ids.length) : viewsOf(rows, ids.length);
}

/** Returns the tensor of each row. They may share memory, which stays until the last one is released. */
function viewsOf(rows: RowTensors, count: number): readonly Tensor[] {
  if (!("data" in rows)) return rows;
  const { type, dims, data } = rows;
  const rowDims = dims.slice(1);
  const length = volumeOf(rowDims);
  return Array.from({ length: count }, (_, row) => {
    const [start, end] = [row * length, (row + 1) * length];
    return { type, dims: rowDims, data: "subarray" in data ? data.subarray(start, end) : data.slice(start, end) };
  });
}

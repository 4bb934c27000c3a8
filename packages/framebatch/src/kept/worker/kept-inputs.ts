import { dimsFor, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import type { Column } from "@framebatch/rows/collate/sent-rows.js";
import { keptTensorLost } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { KeptColumn } from "../kept-messages.js";
import type { RowsRequest } from "../../transport/protocol.js";
import { type DeviceMemory, readBack } from "../../worker/ort/device-memory.js";
import { DeviceInputs, type DeviceRow, isOnDevice, type KeptRow } from "../../worker/ort/device-rows.js";
import type { KeptRows } from "./kept-rows.js";

/** The inputs of a run, some of whose rows are in this worker. */
export class KeptInputs extends DeviceInputs {
  /** The columns of all inputs, to be stacked. */
  readonly columns: Column[];

  private constructor(columns: readonly Column[]) {
    super();
    this.columns = [...columns];
  }

  /**
   * Stacks the rows of an input on the GPU if all are there and none is padded, or else puts them into its column.
   * @param memory the memory of the GPU; `null` if the model runs on none. Other models of the worker may have left
   * rows there.
   * @param mayStay whether inputs may be where only the GPU can read them
   * @throws DEVICE_LOST when a tensor is not in this worker
   */
  static async of(
    { rows, reads = [], paddedSize, extents }: RowsRequest,
    plans: readonly InputPlan[],
    kept: KeptRows,
    memory: DeviceMemory | null,
    mayStay: boolean,
  ): Promise<KeptInputs> {
    const inputs = new KeptInputs(rows.columns);
    try {
      for (const read of reads) {
        const index = plans.findIndex(({ name }) => name === read.name);
        const [plan, found] = [plans[index]!, foundRows(read, kept)];
        const dims = plan.batchAxis === 0 ? dimsFor(plan, extents) : null;
        if (memory !== null && mayStay && areAlike(found, dims)) inputs.gather(read.name, found, 0, paddedSize, memory);
        else inputs.columns[index] = await withData(inputs.columns[index]!, found, kept.memory);
      }
      return inputs;
    } catch (thrown) {
      inputs.release();
      throw thrown;
    }
  }
}

function foundRows({ name, ids }: KeptColumn, kept: KeptRows): (KeptRow | null)[] {
  return ids.map((id) => {
    const row = id === null ? null : kept.get(id);
    if (row === undefined) throw keptTensorLost(name);
    return row;
  });
}

/** Whether all rows are on the GPU, with these dims. */
function areAlike(rows: readonly (KeptRow | null)[], dims: readonly number[] | null): rows is readonly DeviceRow[] {
  const shape = dims?.join("x");
  return rows.every((row) => row !== null && isOnDevice(row) && row.dims.join("x") === shape);
}

/** Returns a column with the elements of its rows that are in this worker. */
async function withData(
  column: Column,
  rows: readonly (KeptRow | null)[],
  memory: DeviceMemory | null,
): Promise<(TensorData | null)[]> {
  const read = await readBack(rows, memory);
  return rows.map((row, index) => {
    if (row === null) return isEntry(column) ? (column[index] ?? null) : null;
    return isOnDevice(row) ? read.get(row)! : row.data;
  });
}

/** A column with rows that are not in the message is never packed. */
function isEntry(column: Column): column is readonly (TensorData | null)[] {
  return Array.isArray(column);
}

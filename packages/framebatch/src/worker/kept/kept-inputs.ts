import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { dimsFor, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import type { Column } from "@framebatch/rows/collate/sent-rows.js";
import { keptTensorLost } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { KeptColumn } from "../../transport/kept-tensors.js";
import type { RowsRequest } from "../../transport/protocol.js";
import type { DeviceMemory } from "./device-memory.js";
import type { DeviceRow, DeviceRows } from "./device-rows.js";
import { isOnDevice, type KeptRow, type KeptRows } from "./kept-rows.js";

/** The inputs of a run, some of whose rows are in this worker. */
export class KeptInputs {
  /** The columns of all inputs, to be stacked. */
  readonly columns: Column[];
  /** The inputs that are stacked on the GPU. */
  readonly tensors: Record<string, OrtTensor> = {};
  readonly #copies: DeviceRows[] = [];

  private constructor(columns: readonly Column[]) {
    this.columns = [...columns];
  }

  /**
   * Stacks the rows of an input on the GPU if all are there and none is padded, or else puts them into its column.
   * @param memory the memory of the GPU; `null` if there is none, or it must not be used
   * @throws DEVICE_LOST when a tensor is not in this worker
   */
  static async of(
    { rows, reads = [], paddedSize, extents }: RowsRequest,
    plans: readonly InputPlan[],
    kept: KeptRows,
    memory: DeviceMemory | null,
  ): Promise<KeptInputs> {
    const inputs = new KeptInputs(rows.columns);
    for (const read of reads) {
      const index = plans.findIndex(({ name }) => name === read.name);
      const [plan, found] = [plans[index]!, foundRows(read, kept)];
      const dims = plan.batchAxis === 0 ? dimsFor(plan, extents) : null;
      if (memory !== null && areAlike(found, dims)) inputs.#gather(read.name, found, paddedSize, memory);
      else inputs.columns[index] = await withData(inputs.columns[index]!, found, memory);
    }
    return inputs;
  }

  #gather(name: string, rows: readonly DeviceRow[], count: number, memory: DeviceMemory): void {
    setOwn(
      this.tensors,
      name,
      memory.gather(rows, count, (copy) => this.#copies.push(copy)),
    );
  }

  /** Frees what was stacked on the GPU, after the run. */
  release(): void {
    for (const copy of this.#copies) copy.destroy();
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
  const onDevice = rows.filter((row) => row !== null && isOnDevice(row));
  const read = onDevice.length === 0 || memory === null ? [] : await memory.read(onDevice);
  return rows.map((row, index) => {
    if (row === null) return isEntry(column) ? (column[index] ?? null) : null;
    return isOnDevice(row) ? read[onDevice.indexOf(row)]! : row.data;
  });
}

/** A column with rows that are not in the message is never packed. */
function isEntry(column: Column): column is readonly (TensorData | null)[] {
  return Array.isArray(column);
}

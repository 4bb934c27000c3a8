import type { Runtime } from "../../worker/ort/runtime-handover.js";
import { type DeviceAccess, DeviceMemory, readBack } from "../../worker/ort/device-memory.js";
import { DeviceInputs, type DeviceRow, isOnDevice, type KeptRow } from "../../worker/ort/device-rows.js";
import type { Backend } from "../../worker/session/trial.js";
import { dimsFor, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import type { Column } from "@framebatch/rows/collate/sent-rows.js";
import { keptTensorLost } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { KeptColumn } from "../kept-messages.js";
import type { RowsRequest } from "../../transport/protocol.js";

/** The tensors of rows that stay in one worker, for all models in it. Who owns one is in the README of this feature. */
export class KeptRows {
  readonly #maxBytes: number;
  #memory: DeviceMemory | null = null;
  readonly #rows = new Map<number, { readonly row: KeptRow; readonly owner: object }>();

  /** @param maxBytes see `DeviceMemory` */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the memory of the GPU, of which the worker has one. */
  async memoryOn(runtime: Runtime): Promise<DeviceMemory> {
    const device = await runtime.env.webgpu.device;
    if (this.#memory?.isOn(device) !== true) this.#memory = new DeviceMemory(runtime, device, this.#maxBytes);
    return this.#memory;
  }

  /** The memory of the GPU on which rows are; `null` if there are none. */
  get memory(): DeviceMemory | null {
    return this.#memory;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Keeps a tensor. @param owner the model that has computed it */
  keep(id: number, row: KeptRow, owner: object): void {
    this.#rows.set(id, { row, owner });
  }

  /** Returns a tensor; `undefined` if it is not here. */
  get(id: number): KeptRow | undefined {
    return this.#rows.get(id)?.row;
  }

  release(ids: readonly number[]): void {
    for (const id of ids) {
      const row = this.get(id);
      this.#rows.delete(id);
      if (row !== undefined && isOnDevice(row)) row.release();
    }
  }

  /** Releases what a model has computed, when it leaves the worker. */
  releaseOf(owner: object): void {
    const own = [...this.#rows].filter(([, kept]) => kept.owner === owner);
    this.release(own.map(([id]) => id));
  }
}

/** Where tensors of a model stay between its runs. */
export interface KeptParts extends DeviceAccess {
  /** The tensors of all models in the worker. */
  readonly kept: KeptRows;
}

export function keptParts(
  kept: KeptRows,
  { runtime, device }: Pick<Backend, "runtime" | "device">,
  mayStay: () => boolean,
): KeptParts {
  return { kept, mayStay, memory: device === null ? null : () => kept.memoryOn(runtime) };
}

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

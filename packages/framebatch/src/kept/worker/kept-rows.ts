import type { Runtime } from "../../worker/ort/runtime-handover.js";
import { DeviceMemory, type DeviceAccess } from "../../worker/ort/device-memory.js";
import { isOnDevice, type KeptRow } from "../../worker/ort/device-rows.js";
import type { Backend } from "../../worker/session/trial.js";

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

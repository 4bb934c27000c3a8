import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { DeviceRow } from "./device-rows.js";

/** A tensor of one row that stays in this worker: in its memory, or on the GPU. */
export type KeptRow = Tensor | DeviceRow;

/** The tensors of rows that stay in one worker, for all models in it. Who owns one is in `packages/rows/README.md`. */
export class KeptRows {
  readonly #rows = new Map<number, { readonly row: KeptRow; readonly owner: object }>();

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

export function isOnDevice(row: KeptRow): row is DeviceRow {
  return "rows" in row;
}

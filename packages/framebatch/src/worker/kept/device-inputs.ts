import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { DeviceMemory } from "./device-memory.js";
import type { DeviceRows } from "./device-rows.js";
import type { KeptRow } from "./kept-rows.js";

/** The inputs of a run that are stacked on the GPU. */
export class DeviceInputs {
  readonly tensors: Record<string, OrtTensor> = {};
  readonly #copies: DeviceRows[] = [];

  /** Stacks the rows of an input along an axis. @param count number of rows of the run */
  gather(name: string, rows: readonly KeptRow[], axis: number, count: number, memory: DeviceMemory): void {
    const stacked = memory.gather(rows, axis, count, (copy) => this.#copies.push(copy));
    setOwn(this.tensors, name, stacked);
  }

  /** Frees what was stacked, after the run. */
  release(): void {
    for (const copy of this.#copies) copy.destroy();
  }
}

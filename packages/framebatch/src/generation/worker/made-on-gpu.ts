import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { TensorType } from "@framebatch/rows/tensor/tensor.js";
import { areRanges, type DeviceMemory } from "../../worker/ort/device-memory.js";
import type { DeviceRows } from "../../worker/ort/device-rows.js";
import type { CachePair } from "../cache-pairs.js";
import { type CacheTensor, isOnGpu, type Room } from "./cache-rows.js";

/** What a run makes on the GPU. */
export class MadeOnGpu {
  /** `null` without a GPU. */
  readonly room: Room | null;
  readonly #made: DeviceRows[] = [];

  constructor(memory: DeviceMemory | null) {
    this.room = memory && {
      rows: (...layout) => {
        const rows = memory.rows(...layout);
        if (rows !== null) this.#made.push(rows);
        return rows;
      },
      fill: (...given) => memory.fill(...given),
    };
  }

  destroyAllBut(kept: readonly CacheTensor[]): void {
    for (const rows of this.#made) if (!kept.includes(rows)) rows.destroy();
  }
}

/** Whether the positions of a cache are whole words on the GPU, which can be copied one by one. */
export function isWhole(type: TensorType, dims: readonly number[], { axis }: CachePair): boolean {
  return areRanges(type, [volumeOf(dims.slice(axis + 1))], 0);
}

/** Returns a cache on the GPU, if there is one and the cache may be there. */
export function toDevice(cache: CacheTensor, pair: CachePair, memory: Room | null): CacheTensor {
  if (isOnGpu(cache)) return cache;
  const { type, dims, data } = cache;
  const rows = memory !== null && isWhole(type, dims, pair) ? memory.rows(type, dims, pair.batchAxis) : null;
  if (rows !== null) memory!.fill(rows, [{ tensor: cache, from: 0, to: 0, count: data.length }]);
  return rows ?? cache;
}

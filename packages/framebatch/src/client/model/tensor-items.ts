import { setOwn } from "@framebatch/rows/tensor/record.js";
import { RowBatches } from "../engine/row-batches.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { contentKey } from "@framebatch/rows/collate/content-key.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { ItemKind, ItemVolumes } from "./item-kind.js";

/** The items are the tensors. */
const SAME_VOLUMES: ItemVolumes = { factor: 1, whenKnown: (callback) => callback(1) };

type TensorItems = ItemKind<Item, PreparedItem, Outputs>;

/**
 * Items that are tensors: the page checks and copies them, and hands them to a worker.
 * @param sharing the options by which identical items share a row or a result
 * @param hasOtherSide whether a server may have to run a row that a worker has failed
 */
export function tensorItems(reader: InputReader, sharing: SharingOptions, hasOtherSide = false): TensorItems {
  // A row that several requests share must not be lost because the first of them has given its item away.
  const batches = new RowBatches(reader, hasOtherSide || hasShares(sharing));
  return {
    ...tensorRows(reader, sharing),
    prepare: (batch) => batches.prepare(batch),
    volumes: SAME_VOLUMES,
    onRetiring: () => undefined,
  };
}

type SharingOptions = Pick<BatcherOptions, "dedupe" | "resultCacheSize">;

/** What items that are tensors need from the page wherever their batches run. */
export function tensorRows(
  reader: InputReader,
  sharing: SharingOptions,
): Omit<TensorItems, "prepare" | "volumes" | "onRetiring"> {
  return {
    admit: (item, isMoved) => reader.admit(item, isMoved ? moveBuffer : undefined),
    shapeOf: ({ shape }) => shape,
    take: (row) => row.take?.(),
    ...(hasShares(sharing) && { contentKey, copyResult: copyOutputs }),
  };
}

/** Whether several requests may share a row or a result. */
export function hasShares({ dedupe = false, resultCacheSize = 0 }: SharingOptions): boolean {
  return dedupe || resultCacheSize > 0;
}

/** Moves the memory of a buffer to a new buffer in constant time, and detaches the old one. */
export function moveBuffer(buffer: ArrayBuffer): ArrayBuffer {
  return structuredClone(buffer, { transfer: [buffer] });
}

/** Returns a deep copy of the outputs: two callers must never share a buffer. */
export function copyOutputs(outputs: Outputs): Outputs {
  const copies: Record<string, Tensor> = {};
  for (const [name, { type, dims, data }] of Object.entries(outputs)) {
    setOwn(copies, name, { type, dims: [...dims], data: data.slice() });
  }
  return copies;
}

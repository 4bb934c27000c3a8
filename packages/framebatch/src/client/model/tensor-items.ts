import { RowBatches } from "../engine/row-batches.js";
import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { ItemKind, ItemVolumes } from "./item-kind.js";
import type { SharedResults } from "./shared-results.js";

/** The items are the tensors. */
const SAME_VOLUMES: ItemVolumes = { factor: 1, whenKnown: (callback) => callback(1) };

type TensorItems = ItemKind<Item, PreparedItem, Outputs>;

/**
 * Items that are tensors: the page checks and copies them, and hands them to a worker.
 * @param shared for identical items that share a row or a result; `null` if none do
 * @param hasOtherSide whether a server may have to run a row that a worker has failed
 */
export function tensorItems(reader: InputReader, shared: SharedResults | null, hasOtherSide = false): TensorItems {
  // A row that several requests share must not be lost because the first of them has given its item away.
  const batches = new RowBatches(reader, hasOtherSide || shared !== null);
  return {
    ...tensorRows(reader, shared),
    prepare: batches.prepare,
    volumes: SAME_VOLUMES,
    onRetiring: () => undefined,
  };
}

/** What items that are tensors need from the page wherever their batches run. */
export function tensorRows(
  reader: InputReader,
  shared: SharedResults | null,
): Omit<TensorItems, "prepare" | "volumes" | "onRetiring"> {
  return {
    admit: (item, isMoved) => reader.admit(item, isMoved ? moveBuffer : undefined),
    shapeOf: ({ shape }) => shape,
    take: (row) => row.take?.(),
    ...shared,
  };
}

/** Moves the memory of a buffer to a new buffer in constant time, and detaches the old one. */
export function moveBuffer(buffer: ArrayBuffer): ArrayBuffer {
  return structuredClone(buffer, { transfer: [buffer] });
}

import { setOwn } from "../../core/tensor/record.js";
import { TensorBatches } from "../engine/tensor-batches.js";
import type { BatcherOptions } from "../options/options.js";
import type { Success } from "../workers/worker-client.js";
import type { Collator } from "../../core/collate/collator.js";
import { contentKey } from "../../core/collate/content-key.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Item, Outputs, Tensor, TensorData } from "../../core/tensor/tensor.js";
import type { ItemKind, ItemVolumes } from "./item-kind.js";

/** The items are the tensors. */
const SAME_VOLUMES: ItemVolumes = { factor: 1, whenKnown: (callback) => callback(1) };

type TensorItems = ItemKind<Item, PreparedItem, Outputs, Success>;

/**
 * Items that are tensors: the page checks, copies, stacks and splits them.
 * @param sharing the options by which identical items share a row or a result
 */
export function tensorItems(collator: Collator, sharing: SharingOptions): TensorItems {
  const batches = new TensorBatches(collator);
  return {
    ...tensorRows(collator, sharing),
    prepare: (batch) => batches.prepare(batch),
    volumes: SAME_VOLUMES,
    onLoss: () => undefined,
    onRetiring: () => false,
  };
}

type SharingOptions = Pick<BatcherOptions, "dedupe" | "resultCacheSize">;

/** What items that are tensors need from the page wherever their batches run. */
export function tensorRows(
  collator: Collator,
  { dedupe = false, resultCacheSize = 0 }: SharingOptions,
): Omit<TensorItems, "prepare" | "volumes" | "onLoss" | "onRetiring"> {
  return {
    admit: (item, isMoved) => collator.admit(item, isMoved ? moveBuffer : undefined),
    shapeOf: ({ shape }) => shape,
    take: (row) => row.take?.(),
    ...((dedupe || resultCacheSize > 0) && { contentKey, copyResult: copyOutputs }),
  };
}

/** Moves the memory of a buffer to a new buffer in constant time, and detaches the old one. */
export function moveBuffer(buffer: ArrayBuffer): ArrayBuffer {
  return structuredClone(buffer, { transfer: [buffer] });
}

/** Returns a deep copy of the outputs: two callers must never share a buffer. */
export function copyOutputs(outputs: Outputs): Outputs {
  const copies: Record<string, Tensor> = {};
  for (const [name, { type, dims, data }] of Object.entries(outputs)) {
    setOwn(copies, name, { type, dims: [...dims], data: copyData(data) });
  }
  return copies;
}

/** Returns a deep copy of an item, whose memory no batch uses. */
export function copyItem({ shape, sizes, data }: PreparedItem): PreparedItem {
  return { shape, sizes, data: data.map((elements) => (elements === null ? null : copyData(elements))) };
}

function copyData(data: TensorData): TensorData {
  return data.slice();
}

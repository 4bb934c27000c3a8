import { TensorBatches } from "../engine/tensor-batches.js";
import type { Success } from "../workers/worker-client.js";
import type { Collator } from "../../core/collate/collator.js";
import { contentKey } from "../../core/collate/content-key.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Item, Outputs, Tensor, TensorData } from "../../core/tensor/tensor.js";
import type { ItemKind } from "./item-kind.js";

/**
 * Items that are tensors: the page checks, copies, stacks and splits them.
 * @param needsContent whether identical items share a row or a result
 */
export function tensorItems(collator: Collator, needsContent: boolean): ItemKind<Item, PreparedItem, Outputs, Success> {
  const batches = new TensorBatches(collator);
  return {
    admit: (item, isMoved) => collator.admit(item, isMoved ? moveBuffer : undefined),
    shapeOf: ({ shape }) => shape,
    prepare: (batch) => batches.prepare(batch),
    onLoss: () => undefined,
    ...(needsContent && { contentKey, copyResult: copyOutputs }),
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
    copies[name] = { type, dims: [...dims], data: copyData(data) };
  }
  return copies;
}

function copyData(data: TensorData): TensorData {
  return data.slice();
}

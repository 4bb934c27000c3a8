import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { RowBatches } from "../engine/row-batches.js";
import { Handles } from "../kept/handles.js";
import { admitHeld } from "../kept/held-item.js";
import { isSent, KeptBatches } from "../kept/kept-batches.js";
import { KeptRow } from "../kept/kept-row.js";
import type { KeptTensors } from "../kept/kept-tensors.js";
import { ModelKept } from "../kept/model-kept.js";
import type { ItemKind } from "../model/item-kind.js";
import type { ItemsOf } from "../model/load-plan.js";
import { moveBuffer, tensorItems } from "../model/tensor-items.js";
import type { Item } from "../options/model.js";

/** Returns what models of tensors of a group take: items whose tensors may be in the worker, and may stay there. */
export function groupedItems(tensors: KeptTensors): ItemsOf {
  return (reader, shared, options, { signature }) => {
    const kind = tensorItems(reader, shared);
    // A step of a sequence has its state in the worker, and nothing else.
    if (options.recurrent !== undefined) return kind;
    const batches = new KeptBatches(new RowBatches(reader, shared !== null, isSent), tensors, signature);
    const read = (item: unknown, isMoved: boolean) => reader.admit(item, isMoved ? moveBuffer : undefined);
    const admit = admitHeld(read, signature, tensors);
    return {
      ...kind,
      ...contentsOf(kind),
      admit: (item, isMoved) => admit(item, isMoved, null),
      prepare: (batch) => batches.prepare(batch),
      onSettled: (row) => row instanceof KeptRow && row.end(),
      openKept(queue, report) {
        const { plans } = reader;
        return new ModelKept({ signature, tensors, queue, admit, plans, handles: new Handles(report) });
      },
    };
  };
}

/** Rows whose tensors are in the worker, or stay there, are like no others. */
function contentsOf({ contentKey }: ItemKind<Item, PreparedItem, Outputs>) {
  if (contentKey === undefined) return {};
  return { contentKey: (row: PreparedItem) => (row instanceof KeptRow ? undefined : contentKey(row)) };
}

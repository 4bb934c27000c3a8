import type { InputReader } from "../../core/collate/input-reader.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Item, Outputs } from "../../core/tensor/tensor.js";
import type { LoadedModel } from "../../transport/protocol.js";
import type { BatcherOptions } from "../options/options.js";
import { ModelSequences } from "../sequences/model-sequences.js";
import { StepBatches } from "../sequences/step-batches.js";
import type { ItemKind } from "./item-kind.js";

/** Returns the same kind for a model with states, whose items may be steps of sequences. */
export function withSequences(
  kind: ItemKind<Item, PreparedItem, Outputs>,
  reader: InputReader,
  { signature, states = [] }: Pick<LoadedModel, "signature" | "states">,
  { allowedBatchSizes }: Pick<BatcherOptions, "allowedBatchSizes">,
): ItemKind<Item, PreparedItem, Outputs> {
  const batches = new StepBatches(reader, signature.fixedBatch ?? allowedBatchSizes?.[0] ?? 1);
  const sequences = new ModelSequences(states);
  return {
    ...kind,
    prepare: (batch) => batches.prepare(batch),
    startSequence: (place, options) => sequences.start(place, options),
  };
}

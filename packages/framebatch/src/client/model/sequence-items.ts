import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { LoadedModel } from "../../transport/protocol.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { HandledItems } from "../handlers/handled-items.js";
import type { PageItem } from "../handlers/page-items.js";
import type { Suspects } from "../handlers/suspects.js";
import { itemRows, itemSteps } from "../sequences/item-steps.js";
import { ModelSequences } from "../sequences/model-sequences.js";
import { ROW_STEPS, rowSteps } from "../sequences/row-steps.js";
import { StepBatches } from "../sequences/step-batches.js";
import { isStepped } from "../sequences/step.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { ItemKind } from "./item-kind.js";

/** Returns the same kind for a model with states, whose items may be steps of sequences. */
export function withSequences(
  kind: ItemKind<Item, PreparedItem, Outputs>,
  reader: InputReader,
  { signature, states = [] }: Pick<LoadedModel, "signature" | "states">,
  { allowedBatchSizes }: Pick<BatcherOptions, "allowedBatchSizes">,
): ItemKind<Item, PreparedItem, Outputs> {
  const batches = new StepBatches(rowSteps(reader, signature.fixedBatch ?? allowedBatchSizes?.[0] ?? 1));
  const sequences = new ModelSequences(states, { ...ROW_STEPS, hasMemory: false });
  return {
    ...kind,
    prepare: (batch) => batches.prepare(batch),
    startSequence: (place, options) => sequences.start(place, options),
    endSequences: () => sequences.endAll(),
  };
}

/** Returns the same kind for a model with handlers, whose items may be steps of sequences. */
export function withHandledSequences(
  kind: HandledItems,
  { session, slots }: Pick<WorkerPool, "session" | "slots">,
  suspects: Suspects,
): ItemKind<unknown, PageItem, unknown> {
  const batches = new StepBatches(itemSteps(kind.prepare, suspects));
  const rows = itemRows((item) => kind.copy(item));
  const sequences = new ModelSequences(session.model.states ?? [], { ...rows, hasMemory: true });
  return suspects.among({
    ...kind,
    prepare: (batch) => batches.prepare(batch),
    // A step goes with its batch, when the state before it is there.
    take: (item) => void (isStepped(item) || kind.take(item)),
    endSequences: () => sequences.endAll(),
    startSequence(place, options) {
      if (slots.length === 1) return sequences.start(place, options);
      const fix = "leave it out: the states of a sequence are in one worker";
      throw optionError("instances", "one worker for sequences", slots.length, fix);
    },
  });
}

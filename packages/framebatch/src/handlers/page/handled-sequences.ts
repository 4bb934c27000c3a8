import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { decodeError } from "@framebatch/batcher/errors/error-data.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { ModelSequences } from "../../sequences/page/sequence-items.js";
import { isStepped, type StepRows } from "../../sequences/page/kept-state.js";
import { StepBatches, isSentStep, sendSteps, type StepSender } from "../../sequences/page/step-batches.js";
import { closeAll } from "../object-graph.js";
import type { PreparedBatch } from "../../client/engine/model-engine.js";
import type { ItemKind } from "../../client/model/item-kind.js";
import type { RunResult } from "../../client/workers/pending-runs.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";
import type { WorkerPool } from "../../client/workers/worker-pool.js";
import type { HandledItems, ItemSending } from "./handled-items.js";
import type { PageItem } from "./page-items.js";
import type { Suspects } from "../../client/engine/suspects.js";

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

/** How an item of a step gets a row of its own. */
function itemRows(copy: (item: PageItem) => PageItem): StepRows<PageItem> {
  return {
    copy,
    end: ({ content }) => closeAll(content?.value),
    stepped: (item, step) => ({ ...item, step }),
  };
}

const WITH_STEPS: ItemSending = {
  isSent: (item) => isSentStep(item) ?? true,
  run: (client, items, request, transfer, run) =>
    sendSteps(items, client, (steps) => client.run({ ...request, steps }, transfer, run)),
};

/**
 * Sends items for handlers with their steps.
 * @param prepare prepares a batch that is sent in the given way
 * @param suspects see `handledItems`
 */
function itemSteps(
  prepare: (batch: Batch<PageItem>, sending: ItemSending) => PreparedBatch<unknown>,
  suspects: Pick<Suspects, "areNone">,
): StepSender<PageItem, unknown, WorkerClient> {
  return {
    prepare: (batch) => prepare(batch, WITH_STEPS),
    async replay({ id, content }, _batch, sentAs, client, run) {
      const sent = sentAs();
      if (sent === null) return null;
      const isExclusive = !suspects.areNone;
      const request = { items: [{ id, content }], isAlone: true, isExclusive, steps: [sent] };
      const result = outcomeOf(await client.run(request, [], run));
      // The worker holds an item that it has not answered for the next attempt, and a replay has none.
      if (!result.ok) client.notify({ withdrawn: id });
      return result;
    },
  };
}

/** A run succeeds although its only item fails. */
function outcomeOf(result: RunResult): RunResult {
  const outcome = result.ok && "outcomes" in result.reply ? result.reply.outcomes[0] : undefined;
  if (outcome === undefined || !("error" in outcome)) return result;
  return { ok: false, error: decodeError(outcome.error) };
}

import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { decodeError } from "@framebatch/batcher/errors/error-data.js";
import type { PreparedBatch } from "../engine/model-engine.js";
import type { ItemSending } from "../handlers/handled-items.js";
import type { PageItem, Suspects } from "../handlers/page-items.js";
import type { RunResult } from "../workers/run.js";
import type { WorkerClient } from "../workers/worker-client.js";
import type { StepRows } from "./kept-state.js";
import { closeAll } from "../../transport/object-graph.js";
import { isSentStep, sendSteps, type StepSender } from "./step-batches.js";

/** How an item of a step gets a row of its own. */
export function itemRows(copy: (item: PageItem) => PageItem): StepRows<PageItem> {
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
export function itemSteps(
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

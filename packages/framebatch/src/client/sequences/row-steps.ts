import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { packRows } from "@framebatch/rows/collate/sent-rows.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { isHere, RowBatches, outgoingRows } from "../engine/row-batches.js";
import type { StateClient, StepRows } from "./kept-state.js";
import { isSentStep, sendSteps, type StepSender } from "./step-batches.js";

/** Rows of tensors as steps. */
export const ROW_STEPS: StepRows<PreparedItem> = {
  copy: ({ shape, sizes, data }) => ({ shape, sizes, data: data.map((elements) => elements?.slice() ?? null) }),
  end: () => undefined,
  stepped: (row, step) => ({ ...row, step }),
};

/**
 * Sends rows of tensors with their steps.
 * @param leastRows number of rows of a run of one step, unless its batch has fewer: a step runs alone while batches are not
 * trusted
 */
export function rowSteps(reader: InputReader, leastRows: number): StepSender<PreparedItem, Outputs, StateClient> {
  // No row moves: a step may have to run again.
  const batches = new RowBatches(reader, true, isSent);
  return {
    prepare(batch) {
      const prepared = batches.prepare(batch);
      return {
        ...prepared,
        runOn: (client, run) =>
          prepared.runOn(
            {
              run: (request, ...others) =>
                sendSteps(batch.items.filter(isSent), client, (steps) => client.run({ ...request, steps }, ...others)),
            },
            run,
          ),
      };
    },
    async replay(row, batch, sentAs, client, run) {
      const { rows, transfer } = await outgoingRows([row], packRows(reader.plans, [row]).rows, true);
      const sent = sentAs();
      if (sent === null) return null;
      const { extents, ownExtents = extents } = row.shape;
      const paddedSize = Math.min(leastRows, batch.paddedSize);
      const request = { rows, paddedSize, extents: ownExtents, mayMerge: false, steps: [sent] };
      return client.run(request, transfer, run);
    },
  };
}

function isSent(row: PreparedItem): boolean {
  return isSentStep(row) ?? isHere(row);
}

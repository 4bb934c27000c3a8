import type { Sent } from "../../transport/transport.js";
import { Collator } from "../../core/collate/collator.js";
import { encodeError } from "../../core/error-data.js";
import { FramebatchError } from "../../core/errors.js";
import type { SplitReply, StackReply, StackRequest, WholeReply } from "../../transport/protocol.js";
import type { Tensor } from "../../core/tensor/tensor.js";
import { lendableBuffers, transferList } from "../../core/collate/transfer-list.js";
import type { Backend } from "../session/trial.js";

type StackedTensors = Readonly<Record<string, Tensor>>;

/** A stacked batch, or what stacking it threw. */
type StackedBatch =
  | { readonly feeds: StackedTensors; readonly split: (outputs: StackedTensors) => readonly StackedTensors[] }
  | { readonly thrown: unknown };

/** Stacks and splits batches that would block the page's thread for too long. Holds at most one that has not run. */
export class LargeBatches {
  #stacked: StackedBatch | null = null;

  /** Copies the rows into a batch. Transfers the rows' buffers back to the page. */
  stack(backend: Backend | null, request: StackRequest): Sent<StackReply> {
    this.#stacked = stackedBatch(backend, request);
    const { rows } = request;
    return { reply: { rows }, transfer: lendableBuffers(rows) };
  }

  /** Runs the batch that was stacked last and splits its outputs into rows. */
  async run(run: (feeds: StackedTensors) => Promise<WholeReply>): Promise<Sent<SplitReply>> {
    const batch = this.#stacked ?? {
      thrown: new FramebatchError("INFERENCE_FAILED", "expected a stacked batch, got none"),
    };
    this.#stacked = null;
    try {
      if ("thrown" in batch) throw batch.thrown;
      const reply = await run(batch.feeds);
      if (!reply.ok) return { reply, transfer: [] };
      const results = batch.split(reply.outputs);
      return { reply: { ok: true, results, inferenceMs: reply.inferenceMs }, transfer: transferList(...results) };
    } catch (thrown) {
      return { reply: { ok: false, error: encodeError(thrown), fatal: false }, transfer: [] };
    }
  }
}

function stackedBatch(backend: Backend | null, { rows, paddedSize, extents }: StackRequest): StackedBatch {
  try {
    if (backend === null) throw new FramebatchError("INFERENCE_FAILED", "expected a loaded model, got none");
    const collator = new Collator(backend.signature, backend.padding);
    const feeds = collator.stack(rows, paddedSize, extents);
    // The rows' buffers return to the page; splitting needs only the sizes.
    const sizes = rows.map((row) => ({ data: [], sizes: row.sizes }));
    return { feeds, split: (outputs) => collator.split(sizes, outputs, paddedSize, extents) };
  } catch (thrown) {
    return { thrown };
  }
}

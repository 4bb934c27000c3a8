import { transfer } from "comlink";
import { Collator } from "../../core/collate/collator.js";
import { encodeError, FramebatchError } from "../../core/errors.js";
import type { SplitReply, StackReply, StackRequest, WholeReply } from "../../core/protocol/protocol.js";
import type { Tensor } from "../../core/tensor/tensor.js";
import { lendableBuffers, transferList } from "../../core/collate/transfer-list.js";
import type { Backend } from "../session/trial.js";

type Tensors = Readonly<Record<string, Tensor>>;

/** A batch that was stacked here, or what was thrown as it was. */
type StackedBatch =
  | { readonly feeds: Tensors; readonly split: (outputs: Tensors) => readonly Tensors[] }
  | { readonly thrown: unknown };

/** Stacks and splits the batches that would keep the page's thread too long. Holds at most one that has not run. */
export class LargeBatches {
  #stacked: StackedBatch | null = null;

  /** Copies the rows into a batch, and gives them back. */
  stack(backend: Backend | null, request: StackRequest): StackReply {
    this.#stacked = stackedBatch(backend, request);
    const { rows } = request;
    return transfer({ rows }, lendableBuffers(rows));
  }

  /** Runs the batch that was stacked last, and splits what comes of it. */
  async run(run: (feeds: Tensors) => Promise<WholeReply>): Promise<SplitReply> {
    const batch = this.#stacked ?? {
      thrown: new FramebatchError("INFERENCE_FAILED", "expected a stacked batch, got none"),
    };
    this.#stacked = null;
    try {
      if ("thrown" in batch) throw batch.thrown;
      const reply = await run(batch.feeds);
      if (!reply.ok) return reply;
      const results = batch.split(reply.outputs);
      return transfer({ ok: true, results, inferenceMs: reply.inferenceMs }, transferList(...results));
    } catch (thrown) {
      return { ok: false, error: encodeError(thrown), fatal: false };
    }
  }
}

function stackedBatch(backend: Backend | null, { rows, paddedSize, extents }: StackRequest): StackedBatch {
  try {
    if (backend === null) throw new FramebatchError("INFERENCE_FAILED", "expected a loaded model, got none");
    const collator = new Collator(backend.signature, backend.padding);
    const feeds = collator.stack(rows, paddedSize, extents);
    // The rows' arrays go back; their sizes are all that splitting needs.
    const sizes = rows.map((row) => ({ data: [], sizes: row.sizes }));
    return { feeds, split: (outputs) => collator.split(sizes, outputs, paddedSize, extents) };
  } catch (thrown) {
    return { thrown: thrown instanceof RangeError ? noMemory(rows.length, thrown) : thrown };
  }
}

function noMemory(rows: number, cause: RangeError): FramebatchError {
  const message = `expected memory for a batch of ${rows}, got a failure (${cause.message}); lower maxBatchSize`;
  return new FramebatchError("OUT_OF_MEMORY", message, { cause });
}

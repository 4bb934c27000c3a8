import type { Collator } from "../../core/collate/collator.js";
import type { Batch, Engine, Outcome } from "../../core/engine/engine.js";
import { FramebatchError } from "../../core/errors.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import { RowLoan, bytesOfRows, bytesOfTensors, isLarge } from "./large-batches.js";
import type { Outputs } from "../options/model.js";
import type { Job } from "../workers/job.js";
import type { RunResult, WorkerClient } from "../workers/worker-client.js";
import type { WorkerPool } from "../workers/worker-pool.js";

/** Stacks the items of a batch, runs them on the workers of one model, and splits the outputs. */
export class ModelEngine implements Engine<PreparedItem, Outputs> {
  readonly #collator: Collator;
  readonly #pool: Pick<WorkerPool, "run">;
  readonly #refusal: (isAlone: boolean) => FramebatchError | null;
  readonly #onSent: () => void;
  /** Size of the outputs of one row, in bytes, measured in the last batch that the page split. */
  #outputBytesPerRow = 0;

  /**
   * @param refusal returns why the current workers must not run a batch, or `null`; the workers may have been replaced
   * while it waited
   * @param onSent called after a batch was handed to a worker
   */
  constructor(
    collator: Collator,
    pool: Pick<WorkerPool, "run">,
    refusal: (isAlone: boolean) => FramebatchError | null,
    onSent: () => void,
  ) {
    this.#collator = collator;
    this.#pool = pool;
    this.#refusal = refusal;
    this.#onSent = onSent;
  }

  run(batch: Batch<PreparedItem>, done: (outcome: Outcome<Outputs>) => void): void {
    void this.#run(batch, done);
    this.#onSent();
  }

  async #run(batch: Batch<PreparedItem>, done: (outcome: Outcome<Outputs>) => void): Promise<void> {
    let outcome: Outcome<Outputs>;
    try {
      outcome = this.#outcomeOf(batch, await this.#pool.run(this.#jobOf(batch)));
    } catch (error) {
      outcome = { error: asError(error), divisible: !batch.isAlone && isUnsafe(error) };
    }
    done(outcome);
  }

  #jobOf(batch: Batch<PreparedItem>): Job {
    const { items, paddedSize, extents, predictedMs, isAlone, reason } = batch;
    const loan = this.#isLarge(batch) ? new RowLoan(batch) : null;
    const makeFeeds = (client: WorkerClient) => {
      const refusal = this.#refusal(isAlone);
      if (refusal !== null) throw refusal;
      return loan === null ? this.#collator.stack(items, paddedSize, extents) : loan.stackOn(client);
    };
    return { makeFeeds, isExclusive: loan !== null, size: items.length, isStep: reason === "retry", predictedMs };
  }

  #isLarge({ items, paddedSize }: Batch<PreparedItem>): boolean {
    return isLarge(items.length, bytesOfRows(items)) || isLarge(paddedSize, paddedSize * this.#outputBytesPerRow);
  }

  #outcomeOf({ items, paddedSize, extents }: Batch<PreparedItem>, reply: RunResult): Outcome<Outputs> {
    if (!reply.ok) return { error: reply.error, divisible: true, isRepeatable: isRefusal(reply.error) };
    if ("results" in reply) return reply;
    this.#outputBytesPerRow = bytesOfTensors(reply.outputs) / paddedSize;
    try {
      const results = this.#collator.split(items, reply.outputs, paddedSize, extents);
      // The buffers can be reused: a batch that has results never runs again.
      this.#collator.release(items);
      return { results, inferenceMs: reply.inferenceMs };
    } catch (error) {
      return { error: asError(error), divisible: true };
    }
  }
}

/** Returns true if the batch was refused as unsafe. Its items may still run one by one. */
function isUnsafe(error: unknown): boolean {
  return error instanceof FramebatchError && error.code === "BATCH_UNSAFE";
}

/** Returns true if ONNX Runtime rejected the run, and would reject it again. Other failures may not repeat. */
function isRefusal(error: Error): boolean {
  return error instanceof FramebatchError && error.code === "INFERENCE_FAILED";
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new FramebatchError("INFERENCE_FAILED", String(error), { cause: error });
}

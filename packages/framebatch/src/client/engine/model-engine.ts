import type { Collator } from "../../core/collate/collator.js";
import type { Batch, Engine, Outcome } from "../../core/engine/engine.js";
import { FramebatchError } from "../../core/errors.js";
import type { Row } from "../../core/collate/prepared-item.js";
import { RowLoan, bytesOfRows, bytesOfTensors, isLarge } from "./large-batches.js";
import type { Outputs } from "../options/model.js";
import type { Supervisor } from "../workers/supervisor.js";
import type { LivingReply, WorkerHandle } from "../workers/worker-handle.js";
import { WorkerSlot } from "../workers/worker-seat.js";

/** Runs batches of rows on the workers of one model. */
export class ModelEngine implements Engine<Row, Outputs> {
  readonly #collator: Collator;
  readonly #seats: readonly WorkerSlot[];
  readonly #refusal: (isAlone: boolean) => FramebatchError | null;
  readonly #onSent: () => void;
  /** As in the last batch that was split here. */
  #outputBytesPerRow = 0;

  /**
   * @param refusal why a run must not be made on what the workers are by then, which may have changed while it waited
   * @param onSent called when a worker has been given a batch
   */
  constructor(
    collator: Collator,
    supervisors: readonly Supervisor[],
    refusal: (isAlone: boolean) => FramebatchError | null,
    onSent: () => void,
  ) {
    this.#collator = collator;
    this.#refusal = refusal;
    this.#onSent = onSent;
    this.#seats = supervisors.map((supervisor) => new WorkerSlot(supervisor));
  }

  run(batch: Batch<Row>, done: (outcome: Outcome<Outputs>) => void): void {
    void this.#run(batch, done);
    this.#onSent();
  }

  async #run(batch: Batch<Row>, done: (outcome: Outcome<Outputs>) => void): Promise<void> {
    done(await this.#outcome(batch));
  }

  async #outcome(batch: Batch<Row>): Promise<Outcome<Outputs>> {
    const seat = this.#seats.reduce((best, other) => (other.burden < best.burden ? other : best));
    try {
      return this.#outcomeOf(batch, await this.#reply(seat, batch));
    } catch (error) {
      // Where there is another worker, the end of one is not the end of the model.
      if (seat.burden === Infinity && this.#seats.some(({ burden }) => burden < Infinity)) return this.#outcome(batch);
      return { error: asError(error), divisible: !batch.isAlone && isUnsafe(error) };
    }
  }

  #reply(seat: WorkerSlot, batch: Batch<Row>): Promise<LivingReply> {
    const { items, paddedSize, extents, predictedMs } = batch;
    const job = { size: items.length, isStep: batch.reason === "retry", predictedMs };
    const loan = this.#isLarge(batch) ? new RowLoan(batch) : null;
    const makeFeeds = (handle: WorkerHandle) => {
      const refusal = this.#refusal(batch.isAlone);
      if (refusal !== null) throw refusal;
      return loan === null ? this.#collator.stack(items, paddedSize, extents) : loan.stackOn(handle);
    };
    return loan === null ? seat.run({ ...job, makeFeeds }) : seat.runAlone({ ...job, makeFeeds });
  }

  #isLarge({ items, paddedSize }: Batch<Row>): boolean {
    return isLarge(items.length, bytesOfRows(items)) || isLarge(paddedSize, paddedSize * this.#outputBytesPerRow);
  }

  #outcomeOf({ items, paddedSize, extents }: Batch<Row>, reply: LivingReply): Outcome<Outputs> {
    if (!reply.ok) return { error: reply.error, divisible: true, isRepeatable: isRefusal(reply.error) };
    if ("results" in reply) return reply;
    this.#outputBytesPerRow = bytesOfTensors(reply.outputs) / paddedSize;
    try {
      const results = this.#collator.split(items, reply.outputs, paddedSize, extents);
      // A batch that has results is never run again.
      this.#collator.release(items);
      return { results, inferenceMs: reply.inferenceMs };
    } catch (error) {
      return { error: asError(error), divisible: true };
    }
  }
}

/** A batch that is refused may still run item by item. */
function isUnsafe(error: unknown): boolean {
  return error instanceof FramebatchError && error.code === "BATCH_UNSAFE";
}

/** What ONNX Runtime says of a run it says again; whatever ends workers may have been chance. */
function isRefusal(error: Error): boolean {
  return error instanceof FramebatchError && error.code === "INFERENCE_FAILED";
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new FramebatchError("INFERENCE_FAILED", String(error), { cause: error });
}

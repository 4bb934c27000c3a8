import type { Batch, Engine, Outcome } from "@framebatch/batcher/engine/engine.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Job } from "../workers/job.js";
import type { RunResult, Success } from "../workers/run-result.js";

/** A batch that is ready to be sent to a worker, possibly several times. */
export interface PreparedBatch<Result> extends Pick<Job, "runOn" | "mayRepeat"> {
  /** Returns the result of each item, in the order of the items. @throws when the reply does not fit the batch */
  readonly resultsOf: (reply: Success) => readonly (Result | Error)[];
}

/** Runs batches on the workers of a model. @throws as `WorkerPool.run` */
export interface BatchRunner {
  run(job: Job): Promise<RunResult>;
}

/** Prepares a batch. Called once for each batch. */
export type PrepareBatch<Item, Result> = (batch: Batch<Item>) => PreparedBatch<Result>;

/** Runs the batches of one model on its workers. */
export class ModelEngine<Item, Result> implements Engine<Item, Result> {
  readonly #prepare: PrepareBatch<Item, Result>;
  readonly #workers: BatchRunner;
  readonly #refusal: (isAlone: boolean) => FramebatchError | null;
  readonly #onSent: () => void;

  /**
   * @param refusal returns why the current workers must not run a batch, or `null`; the workers may have been replaced
   * while it waited
   * @param onSent called after a batch was handed to a worker
   */
  constructor(
    prepare: PrepareBatch<Item, Result>,
    workers: BatchRunner,
    refusal: (isAlone: boolean) => FramebatchError | null,
    onSent: () => void,
  ) {
    this.#prepare = prepare;
    this.#workers = workers;
    this.#refusal = refusal;
    this.#onSent = onSent;
  }

  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): void {
    void this.#run(batch, done);
    this.#onSent();
  }

  async #run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): Promise<void> {
    let outcome: Outcome<Result>;
    try {
      const prepared = this.#prepare(batch);
      const sends = { count: 0 };
      const result = this.#workers.run(this.#jobOf(batch, prepared, sends));
      // A worker that is ready gets the batch in the same turn of the event loop.
      const hasWaited = sends.count === 0;
      outcome = outcomeOf(prepared, await result, hasWaited || sends.count > 1);
    } catch (error) {
      outcome = { error: asError(error), divisible: !batch.isAlone && isUnsafe(error) };
    }
    done(outcome);
  }

  /** @param sends counts how often the batch is sent to a worker */
  #jobOf(
    { items, isAlone, reason, predictedMs }: Batch<Item>,
    prepared: PreparedBatch<Result>,
    sends: { count: number },
  ): Job {
    const runOn: Job["runOn"] = (client, run) => {
      sends.count += 1;
      const refusal = this.#refusal(isAlone);
      if (refusal !== null) throw refusal;
      return prepared.runOn(client, run);
    };
    return { runOn, mayRepeat: prepared.mayRepeat, size: items.length, isStep: reason === "retry", predictedMs };
  }
}

function outcomeOf<Result>(
  { resultsOf }: PreparedBatch<Result>,
  result: RunResult,
  isDelayed: boolean,
): Outcome<Result> {
  if (!result.ok) {
    const { error, isPartial = false } = result;
    return { error, divisible: isDivisible(error), isRepeatable: isRefusal(error) && !isPartial };
  }
  try {
    const { inferenceMs, rows } = result.reply;
    return { results: resultsOf(result.reply), inferenceMs, isDelayed, ...(rows !== undefined && { rows }) };
  } catch (error) {
    return { error: asError(error), divisible: true };
  }
}

/** Returns true if the batch was refused as unsafe. Its items may still run one by one. */
function isUnsafe(error: unknown): boolean {
  return error instanceof FramebatchError && error.code === "BATCH_UNSAFE";
}

/** Returns false if the engine in the worker knows that its error says nothing about an item of the batch. */
function isDivisible(error: Error): boolean {
  return !(error instanceof FramebatchError) || error.details["isAboutItems"] !== false;
}

/** Returns true if ONNX Runtime rejected the run, and would reject it again. Other failures may not repeat. */
function isRefusal(error: Error): boolean {
  return error instanceof FramebatchError && error.code === "INFERENCE_FAILED";
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new FramebatchError("INFERENCE_FAILED", String(error), { cause: error });
}

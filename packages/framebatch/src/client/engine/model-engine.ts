import type { Batch, Engine, Outcome } from "@framebatch/batcher/engine/engine.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Run, RunResult, Success } from "../workers/pending-runs.js";

/** A batch that is ready to be sent to a worker, possibly several times. */
export interface PreparedBatch<Result> extends Pick<Run, "runOn" | "mayRepeat"> {
  /** Returns the result of each item, in the order of the items. @throws when the reply does not fit the batch */
  readonly resultsOf: (reply: Success) => readonly (Result | Error)[];
}

/** Runs batches on the workers of a model. @throws as `WorkerPool.run` */
export interface BatchRunner {
  run(run: Run): Promise<RunResult>;
}

/** Prepares a batch. Called once for each batch. */
export type PrepareBatch<Item, Result> = (batch: Batch<Item>) => PreparedBatch<Result>;

/** What is known of the batches of a model. */
export interface Trust {
  /** Whether the current workers may run every batch. */
  readonly isTrusted: boolean;
  /**
   * Returns why they must not run a batch; `null` if they may.
   * @param isAlone whether the batch is a single item without padding
   */
  refusal(isAlone: boolean): FramebatchError | null;
}

/** Runs the batches of one model on its workers. */
export class ModelEngine<Item, Result> implements Engine<Item, Result> {
  readonly #prepare: PrepareBatch<Item, Result>;
  readonly #workers: BatchRunner;
  readonly #trust: Trust;
  readonly #timeline: { markEnded(): void };

  /**
   * @param trust asked at each attempt: the workers may have been replaced while the batch waited
   * @param timeline marks the batches that have ended, when another one has been handed to a worker
   */
  constructor(
    prepare: PrepareBatch<Item, Result>,
    workers: BatchRunner,
    trust: Trust,
    timeline: { markEnded(): void },
  ) {
    this.#prepare = prepare;
    this.#workers = workers;
    this.#trust = trust;
    this.#timeline = timeline;
  }

  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): void {
    void this.#run(batch, done);
    this.#timeline.markEnded();
  }

  async #run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): Promise<void> {
    const { items, isAlone, predictedMs } = batch;
    let outcome: Outcome<Result>;
    try {
      const prepared = this.#prepare(batch);
      let sends = 0;
      const runOn: Run["runOn"] = (client, pending) => {
        sends += 1;
        const refusal = this.#trust.isTrusted ? null : this.#trust.refusal(isAlone);
        if (refusal !== null) throw refusal;
        return prepared.runOn(client, pending);
      };
      const [size, isStep] = [items.length, batch.reason === "retry"];
      const { mayRepeat } = prepared;
      const run = { runOn, mayRepeat, size, isStep, isDivided: isStep && size > 1, predictedMs, timeoutMs: 0 };
      const result = this.#workers.run(run);
      // A worker that is ready gets the batch in the same turn of the event loop.
      const hasWaited = sends === 0;
      outcome = outcomeOf(prepared, await result, hasWaited || sends > 1);
    } catch (error) {
      outcome = { error: asError(error), divisible: !isAlone && isUnsafe(error) };
    }
    done(outcome);
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

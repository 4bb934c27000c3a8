import type { Batch, Engine, Outcome } from "../../core/engine/engine.js";
import { FramebatchError } from "../../core/errors.js";
import type { Tensor } from "../../core/tensor/tensor.js";
import type { Job } from "../workers/job.js";
import type { RunResult } from "../workers/worker-client.js";
import type { WorkerPool } from "../workers/worker-pool.js";

/** A batch that is ready to be sent to a worker, possibly several times. */
export interface PreparedBatch<Result, Reply> extends Pick<Job<Reply>, "isExclusive" | "runOn"> {
  /** Returns the result of each item, in the order of the items. @throws when the reply does not fit the batch */
  readonly resultsOf: (reply: Reply) => readonly (Result | Error)[];
}

/** What the engine reads of a reply. */
interface TimedReply {
  readonly inferenceMs: number;
  /** See `Outcome`. */
  readonly rows?: number;
}

/** What a comparison reads of a reply. A batch that the worker has split has no `outputs`. */
export interface ComparedReply {
  readonly inferenceMs: number;
  readonly outputs?: Readonly<Record<string, Tensor>>;
}

/** Runs batches once more on another worker, to compare both. */
export interface Comparison {
  /** Called before a batch is sent. Returns whether to call `ran` when it has been answered. */
  begins(): boolean;
  /**
   * Called before the callers get their answers.
   * @param rows number of rows, with padding
   * @param reply `null` if the batch failed
   * @param runOn runs the batch once more
   */
  ran(rows: number, reply: ComparedReply | null, runOn: Job<ComparedReply>["runOn"]): void;
}

/** Prepares a batch. Called once for each batch. */
export type PrepareBatch<Item, Result, Reply> = (batch: Batch<Item>) => PreparedBatch<Result, Reply>;

/** Runs the batches of one model on its workers. */
export class ModelEngine<Item, Result, Reply extends TimedReply> implements Engine<Item, Result> {
  readonly #prepare: PrepareBatch<Item, Result, Reply>;
  readonly #pool: Pick<WorkerPool, "run">;
  readonly #refusal: (isAlone: boolean) => FramebatchError | null;
  readonly #onSent: () => void;
  readonly #comparison: Comparison | null;

  /**
   * @param refusal returns why the current workers must not run a batch, or `null`; the workers may have been replaced
   * while it waited
   * @param onSent called after a batch was handed to a worker
   * @param comparison `null` if no batch is compared
   */
  constructor(
    prepare: PrepareBatch<Item, Result, Reply>,
    pool: Pick<WorkerPool, "run">,
    refusal: (isAlone: boolean) => FramebatchError | null,
    onSent: () => void,
    comparison: Comparison | null = null,
  ) {
    this.#prepare = prepare;
    this.#pool = pool;
    this.#refusal = refusal;
    this.#onSent = onSent;
    this.#comparison = comparison;
  }

  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): void {
    void this.#run(batch, done);
    this.#onSent();
  }

  async #run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): Promise<void> {
    let outcome: Outcome<Result>;
    try {
      const prepared = this.#prepare(batch);
      outcome = outcomeOf(prepared, await this.#compared(batch, prepared));
    } catch (error) {
      outcome = { error: asError(error), divisible: !batch.isAlone && isUnsafe(error) };
    }
    done(outcome);
  }

  /** Runs a batch, and repeats it if the comparison wants it. */
  async #compared(batch: Batch<Item>, prepared: PreparedBatch<Result, Reply>): Promise<RunResult<Reply>> {
    const comparison = batch.reason !== "retry" && this.#comparison?.begins() === true ? this.#comparison : null;
    let reply: Reply | null = null;
    try {
      const result = await this.#pool.run(this.#jobOf(batch, prepared));
      if (result.ok) reply = result.reply;
      return result;
    } finally {
      comparison?.ran(batch.paddedSize, reply, prepared.runOn);
    }
  }

  #jobOf({ items, isAlone, reason, predictedMs }: Batch<Item>, prepared: PreparedBatch<Result, Reply>): Job<Reply> {
    const runOn: Job<Reply>["runOn"] = (client, run) => {
      const refusal = this.#refusal(isAlone);
      if (refusal !== null) throw refusal;
      return prepared.runOn(client, run);
    };
    return { runOn, isExclusive: prepared.isExclusive, size: items.length, isStep: reason === "retry", predictedMs };
  }
}

function outcomeOf<Result, Reply extends TimedReply>(
  { resultsOf }: PreparedBatch<Result, Reply>,
  result: RunResult<Reply>,
): Outcome<Result> {
  if (!result.ok) return { error: result.error, divisible: true, isRepeatable: isRefusal(result.error) };
  try {
    const { inferenceMs, rows } = result.reply;
    return { results: resultsOf(result.reply), inferenceMs, ...(rows !== undefined && { rows }) };
  } catch (error) {
    return { error: asError(error), divisible: true };
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

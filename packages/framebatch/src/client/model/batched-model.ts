import type { Batcher } from "../../core/batcher/batcher.js";
import type { BatchedModel, ModelStats, ProviderTrial } from "../options/model.js";
import type { Sequence, SequenceOptions } from "../options/sequence.js";
import { optionError } from "../../core/tensor/option-errors.js";
import type { ExecutionProvider } from "../options/options.js";
import type { Sharing } from "../workers/model-session.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { WorkerModelParts } from "./open-on-workers.js";
import { TensorModel } from "./page-model.js";
import { jointCheck } from "./worker-findings.js";

/** A `BatchedModel` that runs in workers: the page's side. */
export class WorkerBackedModel<Input, Row, Output>
  extends TensorModel<Input, Row, Output>
  implements BatchedModel<Input, Output>
{
  readonly batcher: Batcher<Row, Output>;
  readonly #pool: WorkerPool;
  readonly #sharing: Sharing | null;
  readonly #measured: () => readonly ProviderTrial[];
  readonly #parts: WorkerModelParts<Input, Row, Output>;

  constructor(parts: WorkerModelParts<Input, Row, Output>) {
    const { queue, pool, sharing, measured } = parts;
    super(parts, pool);
    this.batcher = queue;
    this.#sharing = sharing;
    this.#measured = measured;
    this.#parts = parts;
    this.#pool = pool;
  }

  get executionProvider(): ExecutionProvider {
    return this.#pool.session.model.provider;
  }

  get memoryBytes(): number {
    return this.#pool.memoryBytes;
  }

  sequence(options?: SequenceOptions): Sequence<Input, Output> {
    const { startSequence } = this.#parts;
    if (startSequence !== undefined) return startSequence(this.#parts, options);
    const fix = 'write recurrent: { "state": "stateN" } with the names of the model, or ask the model itself';
    throw optionError("recurrent", "the states of the model", undefined, fix);
  }

  stats(): ModelStats {
    const { model, trials } = this.#pool.session;
    const batchCheck = jointCheck(this.#pool.slots.map(({ session }) => session));
    return {
      ...this.batcher.stats(),
      executionProvider: model.provider,
      providerTrials: [
        ...trials.map((trial) => ({ ...trial, numThreads: model.numThreads, msPerItem: {}, agrees: null })),
        ...this.#measured(),
      ],
      adapter: model.adapter,
      state: this.state,
      modelBytes: model.modelBytes,
      fromCache: model.fromCache,
      memoryBytes: this.memoryBytes,
      instances: this.#pool.slots.length,
      shared: this.#sharing?.stats() ?? { isShared: false, reason: null, tabs: 1 },
      batchCheck,
      isRebatched: model.isRebatched && batchCheck.outcome !== "failed",
    };
  }

  /**
   * Ends the workers once the batches in flight are answered, which frees the model's memory. Requests wait in the queue
   * until `restart`.
   */
  unload(): Promise<void> {
    return this.#pool.unload();
  }
}

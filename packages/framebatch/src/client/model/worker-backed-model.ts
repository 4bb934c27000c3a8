import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { KeepingModel } from "../options/model-group.js";
import { LINKS } from "@framebatch/pipelines/builder/links.js";
import type { BatchedModel, KeptOutputsOf, ModelStats, ProviderTrial } from "../options/model.js";
import type { Sequence, SequenceOptions } from "../../sequences/sequence-options.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { KeptItem } from "../../kept/kept-item.js";
import type { ExecutionProvider, KeepingPredictOptions } from "../options/options.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
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
  /** What keeps outputs in the worker of a group; `null` if the model cannot. */
  readonly [LINKS]: KeepingModel | null;

  constructor(parts: WorkerModelParts<Input, Row, Output>) {
    const { queue, pool, sharing, measured, openKept, events } = parts;
    super(parts, pool);
    this[LINKS] = openKept?.(queue, (error) => events.dispatch("error", error)) ?? null;
    this.batcher = queue;
    this.#sharing = sharing;
    this.#measured = measured;
    this.#parts = parts;
    this.#pool = pool;
  }

  get executionProvider(): ExecutionProvider {
    return this.#pool.session.model.provider;
  }

  get isBusy(): boolean {
    const { queued, inFlight } = this.batcher.stats().requests;
    return queued + inFlight > 0;
  }

  get memoryBytes(): number {
    return this.#pool.memoryBytes;
  }

  override predict<Name extends keyof Output & string>(
    item: Input,
    options: KeepingPredictOptions<Name>,
  ): Promise<KeptOutputsOf<Output, Name>>;
  override predict(item: Input, options?: ModelPredictOptions): Promise<Output>;
  override predict(item: Input, options?: ModelPredictOptions | KeepingPredictOptions): Promise<unknown> {
    if (options === undefined || !namesKept(options)) return super.predict(item, options);
    const { keepOnDevice, ...others } = options;
    if (keepOnDevice === undefined) return super.predict(item, others);
    return this[LINKS]?.predict(item, options) ?? Promise.reject(cannotKeep(keepOnDevice));
  }

  /** See `GroupedModel.keep`. */
  keep(item: Input, options?: ModelPredictOptions): KeptItem {
    const links = this[LINKS];
    if (links === null) throw cannotKeep(undefined);
    return links.keepItem(item, options);
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
      providerCheck: this.#pool.providerCheck,
      isRebatched: model.isRebatched && batchCheck.outcome !== "failed",
    };
  }

  /**
   * Ends the workers once the batches in flight are answered, which frees the model's memory. Requests wait in the
   * queue until `restart`.
   */
  unload(): Promise<void> {
    return this.#pool.unload();
  }
}

/** Whether there is an option `keepOnDevice`. A caller without types may give it no value. */
function namesKept(options: ModelPredictOptions | KeepingPredictOptions): options is KeepingPredictOptions {
  return typeof options === "object" && options !== null && "keepOnDevice" in options;
}

function cannotKeep(names: unknown): Error {
  const expected = "a model of tensors of a group, without recurrent";
  return optionError("keepOnDevice", expected, names, "leave it out, or open the model with { group }");
}

import type { Batcher } from "../../core/batcher/batcher.js";
import { FramebatchError } from "../../core/errors.js";
import type { ModelSignature } from "../../core/model/signature.js";
import type { TensorInfo } from "../../core/tensor/tensor.js";
import { asyncDispose } from "../page/async-dispose.js";
import type { ModelEventTarget } from "./model-events.js";
import type { BatchedModel, DetailedResult, ModelEvents, ModelState, ModelStats } from "../options/model.js";
import type { ExecutionProvider, ModelPredictOptions } from "../options/options.js";
import { ModelRequests } from "./model-requests.js";
import type { PageClock } from "../page/page-clock.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { jointCheck } from "./worker-findings.js";

/** The parts of a model. */
export interface ModelParts<Input, Row, Output> {
  readonly signature: ModelSignature;
  readonly admit: (item: Input, isMoved: boolean) => Row;
  readonly batcher: Batcher<Row, Output>;
  readonly pool: WorkerPool;
  readonly events: ModelEventTarget;
  readonly clock: PageClock;
}

type PredictManyOptions = Omit<ModelPredictOptions, "key">;

/** A `BatchedModel` that runs in workers: the page's side. */
export class WorkerBackedModel<Input, Row, Output> implements BatchedModel<Input, Output> {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #parts: ModelParts<Input, Row, Output>;
  readonly #batcher: Batcher<Row, Output>;
  readonly #requests: ModelRequests<Input, Row, Output>;
  #isDisposed = false;

  constructor(parts: ModelParts<Input, Row, Output>) {
    this.#parts = parts;
    this.#batcher = parts.batcher;
    this.#requests = new ModelRequests(parts);
    this.inputs = parts.signature.inputs;
    this.outputs = parts.signature.outputs;
  }

  get executionProvider(): ExecutionProvider {
    return this.#parts.pool.session.model.provider;
  }

  get state(): ModelState {
    return this.#isDisposed ? "disposed" : this.#parts.pool.state;
  }

  predict(item: Input, options?: ModelPredictOptions): Promise<Output> {
    return this.#requests.predict(item, options);
  }

  predictDetailed(item: Input, options?: ModelPredictOptions): Promise<DetailedResult<Output>> {
    return this.#requests.predictDetailed(item, options);
  }

  predictMany(items: Iterable<Input>, options?: PredictManyOptions): Promise<Output[]> {
    return this.#requests.predictMany(items, options);
  }

  predictStream(
    source: Iterable<Input> | AsyncIterable<Input>,
    options?: PredictManyOptions,
  ): AsyncGenerator<Output, void, undefined> {
    return this.#requests.predictStream(source, options);
  }

  flush(): void {
    this.#batcher.flush();
  }

  stats(): ModelStats {
    const { pool } = this.#parts;
    const { model, trials } = pool.session;
    const batchCheck = jointCheck(pool.slots.map(({ session }) => session));
    return {
      ...this.#batcher.stats(),
      executionProvider: model.provider,
      providerTrials: trials,
      adapter: model.adapter,
      state: this.state,
      modelBytes: model.modelBytes,
      fromCache: model.fromCache,
      memoryBytes: pool.memoryBytes,
      batchCheck,
      isRebatched: model.isRebatched && batchCheck.outcome !== "failed",
    };
  }

  resetStats(): void {
    this.#batcher.resetStats();
  }

  addEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
    options?: AddEventListenerOptions,
  ): void {
    this.#parts.events.add(type, listener, options);
  }

  removeEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
  ): void {
    this.#parts.events.remove(type, listener);
  }

  restart(): Promise<void> {
    return this.#parts.pool.restart();
  }

  /**
   * Ends the workers once the batches in flight are answered, which frees the model's memory. Requests wait in the queue
   * until `restart`.
   */
  async unload(): Promise<void> {
    this.#batcher.pause();
    await this.#parts.pool.unload();
    if (this.state === "ready") this.#batcher.resume();
  }

  dispose(): Promise<void> {
    if (!this.#isDisposed) this.#end();
    return Promise.resolve();
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #end(): void {
    this.#isDisposed = true;
    const error = new FramebatchError(
      "DISPOSED",
      "expected a model in use, got one that was disposed of; create a new one",
    );
    this.#batcher.dispose(error);
    this.#parts.pool.dispose(error);
    this.#parts.clock.close();
    this.#parts.events.dispatch("statechange", { state: "disposed", error: null });
  }
}

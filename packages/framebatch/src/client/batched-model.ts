import type { Batcher } from "../core/batcher.js";
import type { Collator } from "../core/collator.js";
import { FramebatchError } from "../core/errors.js";
import type { ModelSignature } from "../core/model-signature.js";
import { predictStream } from "../core/predict-stream.js";
import type { Sink, Ticket } from "../core/request.js";
import type { Row } from "../core/row.js";
import type { TensorInfo } from "../core/tensor.js";
import { enqueueAbortable } from "./abortable.js";
import { asyncDispose } from "./async-dispose.js";
import { DetailedSink } from "./detailed-sink.js";
import type { ModelEventTarget } from "./model-events.js";
import type { BatchedModel, DetailedResult, Item, ModelEvents, ModelState, ModelStats, Outputs } from "./model.js";
import type { ExecutionProvider, ModelPredictOptions } from "./options.js";
import { moveBuffer } from "./move-buffer.js";
import { enqueueMany } from "./predict-many.js";
import type { PageClock } from "./page-clock.js";
import { checkModelPredictOptions } from "./predict-options.js";
import { PromiseSink } from "./promise-sink.js";
import { StreamRequests } from "./stream-requests.js";
import type { SupervisorPool } from "./supervisor-pool.js";

/** What a model is put together from. */
export interface ModelParts {
  readonly signature: ModelSignature;
  readonly collator: Collator;
  readonly batcher: Batcher<Row, Outputs>;
  readonly pool: SupervisorPool;
  readonly events: ModelEventTarget;
  readonly clock: PageClock;
}

type ManyOptions = Omit<ModelPredictOptions, "key">;

/** The page's half of a model: `predict` is called up to hundreds of thousands of times a second, so it does little. */
export class WorkerBackedModel implements BatchedModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #parts: ModelParts;
  readonly #batcher: Batcher<Row, Outputs>;
  readonly #collator: Collator;
  #isDisposed = false;

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.#batcher = parts.batcher;
    this.#collator = parts.collator;
    this.inputs = parts.signature.inputs;
    this.outputs = parts.signature.outputs;
  }

  get executionProvider(): ExecutionProvider {
    return this.#parts.pool.session.model.provider;
  }

  get state(): ModelState {
    return this.#isDisposed ? "disposed" : this.#parts.pool.state;
  }

  predict(item: Item, options?: ModelPredictOptions): Promise<Outputs> {
    return new Promise((resolve, reject) => {
      const sink = new PromiseSink(resolve, reject);
      if (options !== undefined) this.#enqueue(item, sink, options);
      else if (!this.#batcher.turnsAway(sink)) this.#batcher.enqueue(this.#collator.admit(item), sink);
    });
  }

  predictDetailed(item: Item, options: ModelPredictOptions = {}): Promise<DetailedResult> {
    return new Promise((resolve, reject) => {
      this.#enqueue(item, new DetailedSink(resolve, reject, this.#parts.clock), options);
    });
  }

  predictMany(items: Iterable<Item>, options: ManyOptions = {}): Promise<Outputs[]> {
    const admit = (item: Item) => this.#admit(item, options);
    return enqueueMany(this.#batcher, items, admit, options, checkModelPredictOptions);
  }

  predictStream(
    source: Iterable<Item> | AsyncIterable<Item>,
    options: ManyOptions = {},
  ): AsyncGenerator<Outputs, void, undefined> {
    const open = new StreamRequests<Item, Outputs>((item, sink) => this.#enqueue(item, sink, options));
    return predictStream(
      source,
      (item) => open.add(item),
      () => this.#batcher.appetite,
      () => open.cancel(),
    );
  }

  flush(): void {
    this.#batcher.flush();
  }

  stats(): ModelStats {
    const { model, batchCheck, trials } = this.#parts.pool.session;
    return {
      ...this.#batcher.stats(),
      executionProvider: model.provider,
      providerTrials: trials,
      adapter: model.adapter,
      state: this.state,
      modelBytes: model.modelBytes,
      fromCache: model.fromCache,
      batchCheck: batchCheck(),
      isRebatched: model.isRebatched,
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

  #enqueue(item: Item, sink: Sink<Outputs>, options: ModelPredictOptions): Ticket | null {
    checkModelPredictOptions(options);
    if (options.signal?.aborted !== true && this.#batcher.turnsAway(sink)) return null;
    return enqueueAbortable(this.#batcher, this.#admit(item, options), sink, options);
  }

  #admit(item: Item, { transfer }: ModelPredictOptions): Row {
    return this.#collator.admit(item, transfer ? moveBuffer : undefined);
  }
}

import type { Batcher } from "../core/batcher.js";
import type { Clock } from "../core/clock.js";
import type { Collator } from "../core/collator.js";
import { predictStream } from "../core/predict-stream.js";
import type { Sink } from "../core/request.js";
import type { Row } from "../core/row.js";
import { enqueueAbortable } from "./abortable.js";
import { DetailedSink } from "./detailed-sink.js";
import type { BatchedModel, DetailedResult, Item, Outputs } from "./model.js";
import { moveBuffer } from "./move-buffer.js";
import type { ModelPredictOptions } from "./options.js";
import { enqueueMany } from "./predict-many.js";
import { checkModelPredictOptions } from "./predict-options.js";
import { PromiseSink } from "./promise-sink.js";
import { StreamRequests } from "./stream-requests.js";

/** What the requests of a model go through. */
export interface ModelRequestParts {
  readonly collator: Collator;
  readonly batcher: Batcher<Row, Outputs>;
  readonly clock: Clock;
}

type ManyOptions = Omit<ModelPredictOptions, "key">;

type Predictions = Pick<BatchedModel, "predict" | "predictDetailed" | "predictMany" | "predictStream">;

/**
 * Everything that can be asked of a model: items are checked and copied, and queued with their options. `predict` is called up
 * to hundreds of thousands of times a second, so it does little.
 */
export class ModelRequests implements Predictions {
  readonly #collator: Collator;
  readonly #batcher: Batcher<Row, Outputs>;
  readonly #clock: Clock;

  constructor({ collator, batcher, clock }: ModelRequestParts) {
    this.#collator = collator;
    this.#batcher = batcher;
    this.#clock = clock;
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
      this.#enqueue(item, new DetailedSink(resolve, reject, this.#clock), options);
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
    const admit = (item: Item) => this.#admit(item, options);
    const settings = { admit, options, checkOptions: checkModelPredictOptions };
    return predictStream(source, new StreamRequests(this.#batcher, settings));
  }

  #enqueue(item: Item, sink: Sink<Outputs>, options: ModelPredictOptions): void {
    checkModelPredictOptions(options);
    if (options.signal?.aborted !== true && this.#batcher.turnsAway(sink, options)) return;
    enqueueAbortable(this.#batcher, this.#admit(item, options), sink, options);
  }

  #admit(item: Item, { transfer }: ModelPredictOptions): Row {
    return this.#collator.admit(item, transfer ? moveBuffer : undefined);
  }
}

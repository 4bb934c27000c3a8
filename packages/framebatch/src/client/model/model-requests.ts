import type { BatchedModel, DetailedResult, Item, Outputs } from "../options/model.js";
import type { ModelPredictOptions } from "../options/options.js";
import { checkModelPredictOptions } from "../options/predict-options.js";
import { enqueueAbortable } from "../requests/abortable.js";
import { enqueueMany } from "../requests/predict-many.js";
import { DetailedSink, PromiseSink } from "../requests/sinks.js";
import { StreamRequests } from "../requests/stream-requests.js";
import type { Batcher } from "../../core/batcher/batcher.js";
import { predictStream } from "../../core/batcher/predict-stream.js";
import type { Clock } from "../../core/clock.js";
import type { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Sink } from "../../core/queue/request.js";

/** The parts that `ModelRequests` is made of. */
export interface ModelRequestParts {
  readonly collator: Collator;
  readonly batcher: Batcher<PreparedItem, Outputs>;
  readonly clock: Clock;
}

type ManyOptions = Omit<ModelPredictOptions, "key">;

type Predictions = Pick<BatchedModel, "predict" | "predictDetailed" | "predictMany" | "predictStream">;

/**
 * The prediction methods of a model. They check and copy items, and queue them with their options. `predict` can be
 * called hundreds of thousands of times a second, so it does as little as possible.
 */
export class ModelRequests implements Predictions {
  readonly #collator: Collator;
  readonly #batcher: Batcher<PreparedItem, Outputs>;
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
      else if (!this.#batcher.rejectIfFull(sink)) this.#batcher.enqueue(this.#collator.admit(item), sink);
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
    if (options.signal?.aborted !== true && this.#batcher.rejectIfFull(sink, options)) return;
    enqueueAbortable(this.#batcher, this.#admit(item, options), sink, options);
  }

  #admit(item: Item, { transfer }: ModelPredictOptions): PreparedItem {
    return this.#collator.admit(item, transfer ? moveBuffer : undefined);
  }
}

/** Moves the memory of a buffer to a new buffer in constant time, and detaches the old one. */
export function moveBuffer(buffer: ArrayBuffer): ArrayBuffer {
  return structuredClone(buffer, { transfer: [buffer] });
}

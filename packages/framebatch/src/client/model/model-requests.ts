import type { DetailedResult, PredictingModel } from "../options/model.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import { checkModelPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import { enqueueAbortable } from "@framebatch/batcher/calls/abortable.js";
import type { ModelQueue } from "@framebatch/batcher/calls/model-queue.js";
import { enqueueMany } from "@framebatch/batcher/calls/predict-many.js";
import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import { laterStream } from "./later-stream.js";
import { DetailedSink } from "./detailed-sink.js";
import { rejectInWords } from "@framebatch/rows/collate/input-errors.js";
import type { Clock } from "@framebatch/host/clock.js";
import type { Sink } from "@framebatch/batcher/queue/request.js";

/** The parts that `ModelRequests` is made of. */
export interface ModelRequestParts<Input, Row, Output> {
  readonly admit: Admit<Input, Row>;
  readonly queue: ModelQueue<Row, Output>;
  readonly clock: Clock;
}

type ManyOptions = Omit<ModelPredictOptions, "key">;

type Predictions<Input, Output> = Pick<
  PredictingModel<Input, Output>,
  "predict" | "predictDetailed" | "predictMany" | "predictStream"
>;

type Admit<Input, Row> = (item: Input, isMoved: boolean) => Row;

/**
 * The prediction methods of a model. They check and copy items, and queue them with their options. `predict` can be
 * called hundreds of thousands of times a second, so it does as little as possible.
 */
export class ModelRequests<Input, Row, Output> implements Predictions<Input, Output> {
  readonly #admit: Admit<Input, Row>;
  readonly #queue: ModelQueue<Row, Output>;
  readonly #clock: Clock;

  constructor({ admit, queue, clock }: ModelRequestParts<Input, Row, Output>) {
    this.#admit = admit;
    this.#queue = queue;
    this.#clock = clock;
  }

  predict(item: Input, options?: ModelPredictOptions): Promise<Output> {
    return new Promise((resolve, reject) => {
      const sink = { resolve, reject };
      try {
        if (options !== undefined) this.#enqueue(item, sink, options);
        else if (!this.#queue.rejectIfFull(sink)) this.#queue.enqueue(this.#admit(item, false), sink);
      } catch (error) {
        rejectInWords(error, reject);
      }
    });
  }

  predictDetailed(item: Input, options: ModelPredictOptions = {}): Promise<DetailedResult<Output>> {
    return new Promise((resolve, reject) => {
      try {
        this.#enqueue(item, new DetailedSink(resolve, reject, this.#clock), options);
      } catch (error) {
        rejectInWords(error, reject);
      }
    });
  }

  predictMany(items: Iterable<Input>, options: ManyOptions = {}): Promise<Output[]> {
    const admit = (item: Input) => this.#admit(item, options.transfer === true);
    return new Promise((resolve, reject) => {
      const outputs = enqueueMany(this.#queue, items, admit, options, checkModelPredictOptions);
      outputs.then(resolve, (error: unknown) => rejectInWords(error, reject));
    });
  }

  predictStream(
    source: Iterable<Input> | AsyncIterable<Input>,
    options: ManyOptions = {},
  ): AsyncGenerator<Output, void, undefined> {
    const admit = (item: Input, { transfer }: ManyOptions) => this.#admit(item, transfer === true);
    // The stream reads them when it starts, and the caller may change them before.
    const settings = { admit, options: copyOptions(options), checkOptions: checkModelPredictOptions };
    return laterStream(source, this.#queue, settings);
  }

  #enqueue(item: Input, sink: Sink<Output>, options: ModelPredictOptions): void {
    checkModelPredictOptions(options);
    if (options.signal?.aborted !== true && this.#queue.rejectIfFull(sink, options)) return;
    enqueueAbortable(this.#queue, this.#admit(item, options.transfer === true), sink, options);
  }
}

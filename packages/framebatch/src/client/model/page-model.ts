import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import type { ModelEventTarget } from "./model-events.js";
import type { ModelEvents, ModelState, PredictingModel, Predictor, DetailedResult } from "../options/model.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import { checkModelPredictOptions, checkListOptions } from "@framebatch/batcher/options/predict-options.js";
import { enqueueAbortable } from "@framebatch/batcher/calls/abortable.js";
import type { ModelQueue, StreamSettings } from "@framebatch/batcher/calls/stream-requests.js";
import { enqueueMany } from "@framebatch/batcher/calls/predict-many.js";
import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import { rejectInWords } from "@framebatch/rows/collate/input-errors.js";
import type { Clock } from "@framebatch/host/clock.js";
import type { Sink, CompletedBatch } from "@framebatch/batcher/queue/request.js";
import type { Source } from "@framebatch/batcher/calls/source-reader.js";
import { type LaterCode, loadLater } from "./load-later.js";

/** The parts that `ModelRequests` is made of. */
interface ModelRequestParts<Input, Row, Output> {
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

/** Settles a promise with the outputs, their origin, the batch and the times. */
class DetailedSink<Output> implements Sink<Output> {
  readonly #resolve: (result: DetailedResult<Output>) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #clock: Clock;

  constructor(resolve: (result: DetailedResult<Output>) => void, reject: (reason: unknown) => void, clock: Clock) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clock = clock;
  }

  resolve(outputs: Output, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    this.#resolve({ outputs, ...(batch === null ? this.#cached(enqueuedAtMs) : detailsOf(batch, enqueuedAtMs)) });
  }

  reject(error: unknown): void {
    this.#reject(error);
  }

  #cached(enqueuedAtMs: number): Omit<DetailedResult<unknown>, "outputs"> {
    const totalMs = this.#clock.now() - enqueuedAtMs;
    return { origin: "cache", batch: null, timing: { queueMs: totalMs, inferenceMs: 0, totalMs } };
  }
}

function detailsOf(batch: CompletedBatch, enqueuedAtMs: number): Omit<DetailedResult<unknown>, "outputs"> {
  const { id, origin, size, paddedSize, reason, dispatchedAtMs, completedAtMs, inferenceMs } = batch;
  const timing = { queueMs: dispatchedAtMs - enqueuedAtMs, inferenceMs, totalMs: completedAtMs - enqueuedAtMs };
  return { origin, batch: { id, size, paddedSize, reason }, timing };
}

/**
 * The results of a stream, whose code loads first. A stream that is stopped meanwhile ends at once.
 * @throws INVALID_OPTION for a wrong option; RUNTIME_LOAD_FAILED when the code cannot be loaded; the errors of the
 * stream
 */
async function* laterStream<Input, Row, Output>(
  source: Source<Input>,
  queue: ModelQueue<Row, Output>,
  settings: StreamSettings<Input, Row>,
): AsyncGenerator<Output, void, undefined> {
  checkListOptions(settings.options, settings.checkOptions);
  const { streamOf } = await loadedFor(queue, settings.options.signal);
  yield* streamOf(source, queue, settings);
}

/** Loads the code. Rejects as soon as the stream is stopped: nothing says how long a network takes. */
async function loadedFor(queue: StoppableQueue, signal: AbortSignal | undefined): Promise<LaterCode> {
  let ignore = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    const look = () => {
      if (signal?.aborted) reject(signal.reason);
      else if (queue.disposedWith !== null) reject(queue.disposedWith);
    };
    const ignoreRoom = queue.streamRoom.onChange(look);
    signal?.addEventListener("abort", look);
    ignore = () => {
      ignoreRoom();
      signal?.removeEventListener("abort", look);
    };
    look();
  });
  try {
    return await Promise.race([stopped, loadLater()]);
  } finally {
    ignore();
  }
}

interface StoppableQueue extends Pick<ModelQueue<unknown, unknown>, "disposedWith"> {
  readonly streamRoom: Pick<ModelQueue<unknown, unknown>["streamRoom"], "onChange">;
}

/** What runs the batches of a model: its workers, or a server. */
export interface ModelBackend {
  readonly state: ModelState;
  restart(): Promise<void>;
  /** Ends it. Open and later runs reject with `error`. */
  dispose(error: FramebatchError): void;
}

/** The parts of a model. */
export interface ModelParts<Input, Row, Output> extends ModelRequestParts<Input, Row, Output> {
  readonly signature: ModelSignature;
  readonly events: ModelEventTarget;
}

/** The page's side of everything that predicts: what is the same wherever its batches run. */
export class PageModel<Input, Row, Output>
  extends ModelRequests<Input, Row, Output>
  implements Omit<Predictor<Input, Output>, "stats">
{
  readonly #parts: ModelParts<Input, Row, Output>;
  readonly #backend: ModelBackend;
  #isDisposed = false;

  constructor(parts: ModelParts<Input, Row, Output>, backend: ModelBackend) {
    super(parts);
    this.#parts = parts;
    this.#backend = backend;
  }

  get state(): ModelState {
    return this.#isDisposed ? "disposed" : this.#backend.state;
  }

  flush(): void {
    this.#parts.queue.flush();
  }

  resetStats(): void {
    this.#parts.queue.resetStats();
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
    return this.#backend.restart();
  }

  dispose(): Promise<void> {
    this.end(
      new FramebatchError("DISPOSED", "expected a model in use, got one that was disposed of; create a new one"),
    );
    return Promise.resolve();
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Ends the model. Open and later requests reject with `error`. */
  end(error: FramebatchError): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#parts.queue.dispose(error);
    this.#backend.dispose(error);
    this.#parts.events.dispatch("statechange", { state: "disposed", error: null });
  }
}

/** The page's side of a model with tensors. */
export class TensorModel<Input, Row, Output>
  extends PageModel<Input, Row, Output>
  implements Omit<PredictingModel<Input, Output>, "stats">
{
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];

  constructor(parts: ModelParts<Input, Row, Output>, backend: ModelBackend) {
    super(parts, backend);
    this.inputs = parts.signature.inputs;
    this.outputs = parts.signature.outputs;
  }
}

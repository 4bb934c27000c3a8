import type { BatchCheck } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/providers.js";
import type { CompletedBatch, Origin } from "@framebatch/batcher/queue/request.js";
import type { BatcherStats } from "@framebatch/batcher/stats/stats.js";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type {
  DeviceTensor,
  Item,
  Outputs,
  Tensor,
  TensorData,
  TensorInfo,
  TensorType,
} from "@framebatch/rows/tensor/tensor.js";
import type { Disposing } from "@framebatch/host/disposing.js";
import type { ExecutionProvider } from "./options.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import type { Sequence, SequenceOptions } from "../../sequences/sequence-options.js";

/** What a description of a model has: an array for each input and each output, by name. */
export interface NamedArrays {
  /** The array of each input. */
  readonly inputs: object;
  /** The array of each output. */
  readonly outputs: object;
}

/**
 * The form of an interface that describes a model: the arrays of its inputs and its outputs, by name.
 * `npx framebatch types digits.onnx` writes one. An input that callers may leave out, such as a mask that `padding`
 * fills, is an optional property.
 * @example
 * ```ts
 * interface Digits {
 *   inputs: { image: Float32Array };
 *   outputs: { logits: Float32Array };
 * }
 * const digits = await createBatchedModel<Digits>("/models/digits.onnx");
 * const { logits } = await digits.predict({ image: pixels });
 * const highest = Math.max(...logits.data);
 * ```
 */
export interface ModelTypes<Model extends NamedArrays> {
  /** The array of each input. */
  readonly inputs: { readonly [Name in keyof Model["inputs"]]: TensorData };
  /** The array of each output. */
  readonly outputs: { readonly [Name in keyof Model["outputs"]]: TensorData };
}

/** A model that nothing is known about. */
export interface UnknownModel {
  /** The array of each input. */
  readonly inputs: Readonly<Record<string, TensorData>>;
  /** The array of each output. */
  readonly outputs: Readonly<Record<string, TensorData>>;
}

/** Elements of other classes that an array of a tensor is made from. */
type OtherElements<Data> = Data extends readonly string[]
  ? never
  : Data extends BigInt64Array | BigUint64Array
    ? readonly (number | bigint)[]
    : Data extends Uint8Array
      ? Uint8ClampedArray | readonly (number | boolean)[]
      : readonly number[];

/** A tensor that a caller may pass for an array of a model: a `TensorLike` whose elements fit, or a handle. */
export type InputTensor<Data extends TensorData> =
  | DeviceTensor
  | Data
  | OtherElements<Data>
  | {
      readonly data: Data | OtherElements<Data>;
      readonly dims?: readonly number[];
      readonly type?: TensorType;
    };

/** The tensor of the only input that must be given; `never` if there are several. */
type OnlyInput<Inputs, Name = keyof Inputs> = Name extends keyof Inputs
  ? object extends Omit<Inputs, Name>
    ? InputTensor<Extract<Inputs[Name], TensorData>>
    : never
  : never;

/**
 * An item of a model that an interface describes: a tensor for each input by name, without the batch axis. A model with
 * one input also takes that tensor alone. Of a model without a description, an `Item`.
 */
export type ItemOf<Model extends NamedArrays> = string extends keyof Model["inputs"]
  ? Item
  : // Not a type with a name, so that the compiler lists the inputs when one is wrong.
    | { readonly [Name in keyof Model["inputs"]]: InputTensor<Extract<Model["inputs"][Name], TensorData>> }
    | OnlyInput<Model["inputs"]>;

/**
 * The outputs of one item of a model that an interface describes: a tensor by name. Of a model without a description,
 * `Outputs`.
 */
export type OutputsOf<Model extends NamedArrays> = string extends keyof Model["outputs"]
  ? Outputs
  : { readonly [Name in keyof Model["outputs"]]: Tensor<Extract<Model["outputs"][Name], TensorData>> };

/** The outputs of one item, of which those with these names stay on the device. */
export type KeptOutputsOf<Output, Name extends keyof Output> = string extends keyof Output
  ? { readonly [Kept in Name]: DeviceTensor } & { readonly [Other in string]: Output[keyof Output] | DeviceTensor }
  : { readonly [Kept in keyof Output]: Kept extends Name ? DeviceTensor : Output[Kept] };

export type { Item, Outputs };

/** The outputs of one item, and how they were computed. */
export interface DetailedResult<Output = Outputs> {
  /** The outputs, as `predict` returns them. */
  readonly outputs: Output;
  /** Where the outputs come from: this device, the server, or the result cache of the page. */
  readonly origin: Origin | "cache";
  /** The batch that the item ran in; `null` for a result from the result cache. */
  readonly batch: Pick<CompletedBatch, "id" | "size" | "paddedSize" | "reason"> | null;
  /**
   * Times in milliseconds. `queueMs`: from the call until the batch was dispatched. `inferenceMs`: the run in the
   * model. `totalMs`: from the call to the result. For a result from the result cache, `queueMs` equals `totalMs` and
   * `inferenceMs` is 0.
   */
  readonly timing: { readonly queueMs: number; readonly inferenceMs: number; readonly totalMs: number };
}

/**
 * The state of a model:
 * - `ready`: predictions run.
 * - `recovering`: the worker or the GPU device was lost, and a new worker is starting. Requests wait in the queue.
 * - `unloaded`: a model hub has freed the memory of the model, or frees it once the batches in flight are answered.
 *   Requests wait in the queue while it is loaded again.
 * - `failed`: no worker could be started again. Requests reject until `restart` succeeds.
 * - `disposed`: final. Requests reject with `DISPOSED`.
 */
export type ModelState = "ready" | "recovering" | "unloaded" | "failed" | "disposed";

/** The outcome of trying one execution provider. */
export interface ProviderTrial {
  /** The provider that was tried. */
  readonly provider: ExecutionProvider;
  /** Whether the model runs on it; of a way that was measured, whether the next load starts on it. */
  readonly chosen: boolean;
  /** Number of threads of ONNX Runtime's WebAssembly. */
  readonly numThreads: number;
  /**
   * Why the provider was rejected; for the chosen one, which ONNX Runtime build and which GPU adapter it runs on; for a
   * way that was measured beside the model, the result.
   */
  readonly reason: string;
  /** Time of a run for each item, in milliseconds, by the number of items; empty if the way was not measured. */
  readonly msPerItem: Readonly<Record<number, number>>;
  /** Whether the answers agree with those of the model's own way; `null` if they were not compared. */
  readonly agrees: boolean | null;
}

/** Whether a model shares its session with other tabs, as the option `shared` asks for. */
export interface SharingStats {
  /** Whether the session is in a shared worker. */
  readonly isShared: boolean;
  /** Why the model has a worker of its own although `shared` is set; otherwise `null`. */
  readonly reason: string | null;
  /** Number of models that use the session, one for each tab as a rule. 1 if the session is not shared. */
  readonly tabs: number;
}

/** Statistics of a model: those of its batcher, and facts about its session. A plain object. */
export interface ModelStats extends BatcherStats {
  /** The execution provider that the model runs on. */
  readonly executionProvider: ExecutionProvider;
  /** Every provider that this load tried, in order, and then the ways that were measured, on this visit or before. */
  readonly providerTrials: readonly ProviderTrial[];
  /** Name of the GPU adapter; `null` on WASM. */
  readonly adapter: string | null;
  /** The state of the model. */
  readonly state: ModelState;
  /** Size of the model and its external files, in bytes. */
  readonly modelBytes: number;
  /** Whether all of these files came from the cache. */
  readonly fromCache: boolean;
  /**
   * Size of the WebAssembly memory of the model's workers, in bytes: ONNX Runtime, the model and its largest batch.
   * Does not include the memory of a GPU. If the session is shared, every tab reports the whole. In a group, it is the
   * model's share: what the memory has grown by for it, and at least `modelBytes`. `ModelGroup.stats` tells the whole.
   */
  readonly memoryBytes: number;
  /** Number of workers that run batches: the option `instances`. */
  readonly instances: number;
  /** Whether the session is shared with other tabs, and why not. */
  readonly shared: SharingStats;
  /**
   * Whether batches give the same answers as single items. The model runs item by item unless the outcome is `passed`
   * or `skipped`.
   */
  readonly batchCheck: BatchCheck;
  /**
   * Whether the answers of the GPU agree with those of WASM, for the items of requests that were compared. With
   * `failed`, the model has left the GPU, or had nothing else to run on.
   */
  readonly providerCheck: ProviderCheck;
  /** Whether the model's batch dimension was fixed at 1 and has been rewritten to take larger batches. */
  readonly isRebatched: boolean;
}

/** Where a model runs from now on, and why. */
export interface ProviderChange {
  /** The execution provider that the model runs on. */
  readonly executionProvider: ExecutionProvider;
  /** Number of threads of ONNX Runtime's WebAssembly. */
  readonly numThreads: number;
  /** Why it has changed, in words: what was measured, or what failed. */
  readonly reason: string;
}

/** The events of a model: the type of `event.detail` by event type. */
export interface ModelEvents {
  /** A batch has run, and its requests have settled. */
  batch: CompletedBatch;
  /** The state has changed to `state`; `error` is what caused the change, or `null`. */
  statechange: { readonly state: ModelState; readonly error: FramebatchError | null };
  /** The model runs in another way from now on: on another provider, or with another number of threads. */
  providerchange: ProviderChange;
  /** A failure of the model as a whole, such as a lost worker, a broken cache or an exception on the page. */
  error: FramebatchError;
}

/**
 * What everything that predicts does, wherever its batches run: a `PredictingModel`, or a `BatchedWorker` with an
 * engine of its own.
 *
 * `Input` is an item and `Output` its result. Both are tensors, unless the worker has handlers or an engine: `Input` is
 * then what `preprocess` or `run` takes, and `Output` what `postprocess` or `run` returns.
 */
export interface Predictor<Input = Item, Output = Outputs> extends Disposing {
  /** The state of the model. The event `statechange` reports changes. */
  readonly state: ModelState;
  /**
   * Predicts one item. The item's tensors are copied before the call returns, so the caller may reuse its arrays at
   * once; the option `transfer` moves them instead. The caller owns the outputs. Errors reject the promise; the call
   * itself does not throw.
   * @param item a tensor for each input, without the batch axis
   * @throws INVALID_INPUT when the item does not fit the model; INVALID_OPTION; OVERLOADED when the queue is full or
   * `maxLatencyMs` cannot be met; TIMED_OUT after `timeoutMs`; SUPERSEDED by a newer request with the same `key`;
   * INFERENCE_FAILED or OUT_OF_MEMORY when this item cannot run; BATCH_UNSAFE when rows mix in a model whose batch is
   * fixed at several rows; WORKER_CRASHED, WORKER_HUNG or DEVICE_LOST when new workers fail too; MODEL_INTEGRITY when a
   * new worker cannot load the same bytes again; DISPOSED; `signal.reason` on an abort.
   * @example const { logits } = await model.predict({ image: pixels });
   */
  predict(item: Input, options?: ModelPredictOptions): Promise<Output>;
  /**
   * Predicts one item as `predict` does, and also reports where it ran, its batch and its times.
   * @throws as `predict`.
   * @example const { outputs, origin, batch, timing } = await model.predictDetailed({ image: pixels });
   */
  predictDetailed(item: Input, options?: ModelPredictOptions): Promise<DetailedResult<Output>>;
  /**
   * Predicts a list of items. The outputs are in the order of the list. The first failure rejects the list and takes
   * the other items out of the queue; `details.index` of the error is the index of the failed item. Tensors are copied
   * or moved as in `predict`.
   * @throws as `predict`; INVALID_OPTION when `options` has a `key`.
   * @example const results = await model.predictMany(items, { signal });
   */
  predictMany(items: Iterable<Input>, options?: Omit<ModelPredictOptions, "key">): Promise<Output[]>;
  /**
   * Predicts the items of a source and yields their outputs in order. It pulls items only as fast as they are
   * predicted, and waits while the queue is full. The error of an item is thrown at its turn. An error of the source is
   * thrown after the results of all items before it. An abort and `dispose` end the stream at once. Its code loads
   * after the first answer of the model, or with a stream that starts earlier.
   * @throws as `predict`; INVALID_OPTION when `options` has a `key`; RUNTIME_LOAD_FAILED when that code cannot be
   * loaded.
   * @example for await (const { logits } of model.predictStream(source)) show(logits);
   */
  predictStream(
    source: Iterable<Input> | AsyncIterable<Input>,
    options?: Omit<ModelPredictOptions, "key">,
  ): AsyncGenerator<Output, void, undefined>;
  /** Dispatches all queued requests now, as fast as the worker takes them, without waiting for others to join. */
  flush(): void;
  /** Returns a snapshot of the statistics since the model was created, or since the last `resetStats`. */
  stats(): BatcherStats;
  /** Starts the statistics again from zero. Open requests count as accepted in the new statistics. */
  resetStats(): void;
  /**
   * Adds a listener for events of one type. Adding the same listener twice adds it once.
   * @param options as for `EventTarget.addEventListener`: `once` and `signal`
   * @example model.addEventListener("error", ({ detail }) => console.warn(detail.code));
   */
  addEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
    options?: AddEventListenerOptions,
  ): void;
  /** Removes a listener that `addEventListener` added. */
  removeEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
  ): void;
  /**
   * Makes the model ready again. Replaces the worker with a new one, which tries all configured execution providers
   * again and runs the open requests. It is the way out of the state `failed`. The new worker loads the same bytes as
   * the first load, never a newer version of the file; to load a newer version, create a new model. For a remote model,
   * asks the server whether the model is ready. For a model with `remote`, does both, and loads the model where loading
   * has failed. Resolves when it is ready.
   * @throws MODEL_INTEGRITY when neither the cache nor the server has these bytes; DISPOSED; any other error of loading
   * the model.
   */
  restart(): Promise<void>;
  /**
   * Ends the worker, and requests to a server. Open and later requests reject with `DISPOSED`. Safe to call at any
   * time, and more than once.
   */
  dispose(): Promise<void>;
}

/** What every model with tensors does: a `BatchedModel` on this device, or a `RemoteModel` on a server. */
export interface PredictingModel<Input = Item, Output = Outputs> extends Predictor<Input, Output> {
  /** The model's inputs, in the order of its metadata. */
  readonly inputs: readonly TensorInfo[];
  /** The model's outputs, in the order of its metadata. */
  readonly outputs: readonly TensorInfo[];
}

/** A model that is ready to predict. `createBatchedModel` makes it. */
export interface BatchedModel<Input = Item, Output = Outputs> extends PredictingModel<Input, Output> {
  /** The execution provider that the model runs on. It can change when a worker is replaced. */
  readonly executionProvider: ExecutionProvider;
  /**
   * Starts a stream through a model with the option `recurrent`, with handlers, or with both. Its state, and what the
   * handlers remember, stays in the worker.
   * @throws INVALID_OPTION when the model has neither states nor handlers, or several workers, or for a wrong option
   * @example const mic = vad.sequence({ overflow: "drop-oldest" });
   */
  sequence(options?: SequenceOptions): Sequence<Input, Output>;
  /** Returns a snapshot of the statistics since the model was created, or since the last `resetStats`. */
  stats(): ModelStats;
}

/** Which of its two sides a model with the option `remote` asks. `RemoteSideOptions.mode` describes each. */
export type RemoteMode = "only-on-device" | "prefer-on-device" | "prefer-in-cloud" | "only-in-cloud";

/** Statistics of a model that runs on the device and on a server. A plain object. */
export interface HybridModelStats {
  /** The state of the model. */
  readonly state: ModelState;
  /** The option of this name. */
  readonly mode: RemoteMode;
  /**
   * The requests of callers, each counted once, whichever sides it was on. At any time,
   * `offered = completed.device + completed.server + rejected + open`.
   */
  readonly requests: {
    /** All requests. */
    readonly offered: number;
    /** Requests with a result, by where it comes from. */
    readonly completed: Readonly<Record<Origin, number>>;
    /** Requests that rejected, for any reason. */
    readonly rejected: number;
    /** Requests that wait or run now. */
    readonly open: number;
    /** Requests that one side could not answer, or would have answered later, by the side that they moved to. */
    readonly movedTo: Readonly<Record<Origin, number>>;
  };
  /** Why the server is not asked at the moment: the code of its last error; `null` if it is. */
  readonly serverError: ErrorCode | null;
  /**
   * The statistics of each side that has the model. A request that moved counts in both. `toPrometheusText` writes
   * both, with the label `model`.
   */
  readonly models: {
    /** The statistics of the model on this device, once it is loaded. */
    readonly device?: ModelStats;
    /** The statistics of the model on its server, once the server is open. */
    readonly server?: RemoteModelStats;
  };
}

/** A model that runs on the device and on a server. `createBatchedModel` makes it if it has the option `remote`. */
export interface HybridModel<Input = Item, Output = Outputs> extends Omit<PredictingModel<Input, Output>, "stats"> {
  /** The execution provider of the device; `null` while only the server has the model. */
  readonly executionProvider: ExecutionProvider | null;
  /** Returns a snapshot of the statistics since the model was created, or since the last `resetStats`. */
  stats(): HybridModelStats;
}

/** Statistics of a model on a server: those of its batcher, and facts about its requests. A plain object. */
export interface RemoteModelStats extends BatcherStats {
  /** The state of the model: `ready` or `disposed`. */
  readonly state: ModelState;
  /** Whether tensors are sent as binary data; otherwise as JSON. */
  readonly isBinary: boolean;
  /** Number of requests to the server that repeated one because it was busy or the connection was lost. */
  readonly retries: number;
}

/** A model on a server that is ready to predict. `createRemoteModel` makes it. */
export interface RemoteModel<Input = Item, Output = Outputs> extends PredictingModel<Input, Output> {
  /** Returns a snapshot of the statistics since the model was created, or since the last `resetStats`. */
  stats(): RemoteModelStats;
}

import type { BatchCheck } from "../../core/protocol/protocol.js";
import type { CompletedBatch } from "../../core/queue/request.js";
import type { BatcherStats } from "../../core/stats/stats.js";
import type { FramebatchError } from "../../core/errors.js";
import type { Tensor, TensorInfo, TensorLike } from "../../core/tensor/tensor.js";
import type { ExecutionProvider, ModelPredictOptions } from "./options.js";

/** One item: a tensor per input, without the batch axis. A model with one batched input also takes the tensor alone. */
export type Item = TensorLike | Readonly<Record<string, TensorLike>>;

/** One item's outputs by name: its own row, padding removed, each owning its memory. */
export type Outputs = Readonly<Record<string, Tensor>>;

/** A result, with how it came about. */
export interface DetailedResult {
  readonly outputs: Outputs;
  /** `null` for an answer from the result cache. */
  readonly batch: Pick<CompletedBatch, "id" | "size" | "paddedSize" | "reason"> | null;
  /** Milliseconds: waiting for the batch to leave, in the model, and from the call to the result. */
  readonly timing: { readonly queueMs: number; readonly inferenceMs: number; readonly totalMs: number };
}

/**
 * - `ready`: predictions run.
 * - `recovering`: the worker or the device was lost; a new one is being started. Requests wait.
 * - `failed`: it could not be brought back; requests reject.
 * - `disposed`: for good.
 */
export type ModelState = "ready" | "recovering" | "failed" | "disposed";

/** What became of one execution provider while the backend was chosen. */
export interface ProviderTrial {
  readonly provider: ExecutionProvider;
  readonly chosen: boolean;
  /** Why it was passed over; for the chosen one, which ONNX Runtime build and adapter it runs on. */
  readonly reason: string;
}

export interface ModelStats extends BatcherStats {
  readonly executionProvider: ExecutionProvider;
  /** Every provider that was tried, in order. */
  readonly providerTrials: readonly ProviderTrial[];
  /** Name of the GPU adapter, or `null` on WASM. */
  readonly adapter: string | null;
  readonly state: ModelState;
  /** Model bytes in memory, and whether they came from the cache. */
  readonly modelBytes: number;
  readonly fromCache: boolean;
  /** Whether batches were found to answer as single items do. Unless it has passed, or was not asked for, the model runs item by item. */
  readonly batchCheck: BatchCheck;
  /** Whether the model was fixed at one item and has been rewritten to take more. */
  readonly isRebatched: boolean;
}

/** Events of a model: `event.detail` by event type. */
export interface ModelEvents {
  /** A batch has run. */
  batch: CompletedBatch;
  statechange: { readonly state: ModelState; readonly error: FramebatchError | null };
  /** Something went wrong that no single request can report: a lost worker, a broken cache, an exception on the page. */
  error: FramebatchError;
}

/** A model that is ready to predict. Made by `createBatchedModel`. */
export interface BatchedModel extends AsyncDisposable {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly executionProvider: ExecutionProvider;
  readonly state: ModelState;
  /** One item. Its tensors are copied before the call returns, unless `transfer` lets them be moved. */
  predict(item: Item, options?: ModelPredictOptions): Promise<Outputs>;
  predictDetailed(item: Item, options?: ModelPredictOptions): Promise<DetailedResult>;
  /** A list; the outputs are in its order. Rejects with the first failure, whose `details.index` says which item it was. */
  predictMany(items: Iterable<Item>, options?: Omit<ModelPredictOptions, "key">): Promise<Outputs[]>;
  /**
   * Pulls items as fast as they are predicted, and no faster; yields in order. A full queue holds it back. The error of an item
   * is thrown at its turn, and that of the source after the results of all items before it; an abort and `dispose` end it at once.
   */
  predictStream(
    source: Iterable<Item> | AsyncIterable<Item>,
    options?: Omit<ModelPredictOptions, "key">,
  ): AsyncGenerator<Outputs, void, undefined>;
  /** Sends what is queued now, without waiting for company. */
  flush(): void;
  stats(): ModelStats;
  resetStats(): void;
  addEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
    options?: AddEventListenerOptions,
  ): void;
  removeEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
  ): void;
  /**
   * Starts a new worker in place of the present one, with all execution providers that were asked for; what is open is run
   * there. It loads the bytes that the model was first loaded with, never a newer version: create the model anew for that. The way
   * back from the state `failed`. Resolves when the model is ready. @throws MODEL_INTEGRITY where neither the cache nor
   * the server has these bytes; why else it could not be loaded; DISPOSED.
   */
  restart(): Promise<void>;
  /** Ends the worker. Open requests reject with `DISPOSED`. Safe to call twice, at any time. */
  dispose(): Promise<void>;
}

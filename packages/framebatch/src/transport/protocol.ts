import type { ExecutionProvider, ProviderCheck, ProviderOptions, RuntimeBuild, Way } from "./providers.js";
import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import type { ErrorData } from "@framebatch/batcher/errors/error-data.js";
import type { StatesByInput } from "@framebatch/rows/model/recurrence.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PaddingByInput, PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import type { AnsweredRows, SentRows } from "@framebatch/rows/collate/sent-rows.js";
import type { Agreement } from "@framebatch/rows/tensor/agreement.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { DecoderNames, TextsAnswer, TextsRequest } from "../generation/generation-messages.js";
import type { MemoryUse } from "../groups/group-messages.js";
import type { KeptColumns, ReleaseNotice } from "../kept/kept-messages.js";
import type { HandledItem, ItemsAnswer, ItemsRequest } from "../handlers/handler-messages.js";
import type { SentStep, StateData } from "../sequences/sequence-messages.js";

/** The identity of a file that a worker has obtained. */
export interface ObtainedFile {
  /** Digest of its pieces; `null` if the page may not compute digests, or if the user has given the bytes. */
  readonly sha256: string | null;
  /** The downloaded `Blob`; `null` if the file came from the cache or with the request. */
  readonly blob: Blob | null;
  /** @default the cache cannot hold it */
  readonly origin?: FileOrigin | null;
  /** What later workers get, of a file that the worker has found beside the model. @default the page has named it */
  readonly beside?: ExternalFile | undefined;
}

/** What a file is a download of, under which the cache holds it or may hold it. */
export interface FileOrigin {
  readonly url: string;
  /** Identifies the version of the file; `null` if the server names none. */
  readonly validator: string | null;
}

/**
 * The types of everything that the page and its worker send to each other. Calls have replies (`WorkerApi`). Notices
 * have none (`WorkerNotice`, `PageNotice`). This module contains no code.
 */

/** The location from which the worker obtains a file of the model. */
export type ModelLocation =
  /** `pinned`: digest that the bytes must have; `null` until the model has been loaded once. */
  | { readonly url: string; readonly pinned: string | null }
  /** A `Blob` is passed on without its bytes. `sha256`: digest of its pieces; `null` if it is not known. */
  | { readonly blob: Blob; readonly sha256: string | null; readonly origin?: FileOrigin | null };

/** A file of weights that belongs to the model. */
export interface ExternalFile {
  /** Path by which the model refers to the file. */
  readonly path: string;
  readonly location: ModelLocation;
  readonly integrity: string | null;
}

/** The files of the model for one provider, where each provider has its own. */
export interface ProviderFiles {
  readonly provider: ExecutionProvider;
  readonly location: ModelLocation;
  readonly externalData: readonly ExternalFile[];
  readonly integrity: string | null;
}

/** The files of one build of ONNX Runtime: absolute URLs. */
export interface RuntimeFiles {
  /** The script. The worker imports it. */
  readonly script: string;
  /** The WebAssembly. A file that ends in `.bin` is compressed with gzip. */
  readonly wasm: string;
}

/** The parameters of `WorkerApi.load`. */
export interface LoadRequest {
  /** With `variants`, the files of one of them. */
  readonly location: ModelLocation;
  readonly externalData: readonly ExternalFile[];
  /** The files of each provider, if they differ; otherwise empty. */
  readonly variants: readonly ProviderFiles[];
  /**
   * The signature of the first session of the model, for which requests are prepared; `null` before it. Another file
   * must have the same.
   */
  readonly signature: ModelSignature | null;
  /** Maximum size of the model and of each external file, in bytes. A larger file is rejected while it arrives. */
  readonly maxModelBytes: number;
  /** Providers in the order in which to try them. Never empty. */
  readonly providers: readonly ExecutionProvider[];
  /** Whether framebatch has chosen the providers, not the user: a GPU in software is then not tried. */
  readonly isAutomatic: boolean;
  /**
   * Whether the page has decided how an automatic model runs: on the first of `providers` that works, with
   * `numThreads`.
   * @default false
   */
  readonly isDecided?: boolean;
  /**
   * Whether the page compares the ways to run, so that a model that needs the GPU comes to it wherever it starts.
   * @default false
   */
  readonly comparesWays?: boolean;
  readonly batchAxis: Readonly<Record<string, number | null>>;
  /** @default {} */
  readonly recurrent?: StatesByInput;
  /** What the inputs and outputs of a decoder are for, as far as it is told. @default the model generates nothing */
  readonly generate?: DecoderNames;
  /** Outputs that callers get, besides states. @default all */
  readonly outputs?: readonly string[];
  readonly padding: PaddingByInput;
  readonly cache: boolean;
  readonly integrity: string | null;
  readonly warmup: boolean;
  /** Whether a model whose batch is fixed at 1 may be rewritten to take larger batches. */
  readonly rebatch: boolean;
  /**
   * Maximum time of the check of batches before the model is ready, in milliseconds; `null` for no check. The check
   * compares the answers of batches with those of single items.
   */
  readonly verifyBudgetMs: number | null;
  /**
   * Whether the answers of a GPU are compared with those of WASM.
   * @default false
   */
  readonly comparesProviders?: boolean;
  /** Verdicts of earlier workers of this model, which this worker does not check again. */
  readonly found: readonly Verdict[];
  /** Example items, as the user gave them. If empty, sizes are guessed and contents are generated. */
  readonly samples: readonly unknown[];
  /** Maximum batch size, in rows. The warm-up runs no larger batch. */
  readonly maxBatchSize: number;
  /** Sizes to which batches are padded, in rows; empty if batches are not padded. */
  readonly allowedBatchSizes: readonly number[];
  readonly sessionOptions: Readonly<Record<string, unknown>>;
  readonly providerOptions: ProviderOptions;
  /** Part of what decides which way to run is best. */
  readonly agreement: Agreement;
  /** The worker chooses one of these builds. */
  readonly runtimes: Readonly<Record<RuntimeBuild, RuntimeFiles>>;
  /** Number of threads of ONNX Runtime; `null` if the worker chooses. */
  readonly numThreads: number | null;
  /**
   * Whether the model may also run on the GPU. Every provider then runs in the GPU's build, if ONNX Runtime needs no
   * Asyncify there, so that a change of the way to run downloads nothing.
   * @default false
   */
  readonly isNearGpu?: boolean;
  /** Maximum time without a byte during a download, in milliseconds. The download then fails. */
  readonly stallTimeoutMs: number;
  /** What the worker's module gives to `serve`. The load waits for the call, unless it is nothing. */
  readonly served: Served;
}

/**
 * What the user's own module gives to a worker: nothing, handlers of a model, or an engine in its place. A worker with
 * an engine reads only `samples`, `verifyBudgetMs`, `agreement`, `found`, `providers` and the batch sizes of a
 * `LoadRequest`.
 */
type Served = "nothing" | "handlers" | "engine";

/** The outcome of trying one provider. */
export interface Trial {
  readonly provider: ExecutionProvider;
  readonly chosen: boolean;
  readonly reason: string;
}

/** The outcome of measuring one way to run. `chosen`: whether the next load starts on it. */
export interface MeasuredWay extends Trial, Way {
  /** Time of a run for each item, in milliseconds, by the number of items; empty if the way was not measured. */
  readonly msPerItem: Readonly<Record<number, number>>;
  /** Whether its answers agree with those of the other way; `null` if they were not compared. */
  readonly agrees: boolean | null;
}

/** What is known about the ways to run a model on this device and in this browser. */
export interface WayRecord {
  /** The way to start on. */
  readonly best: Way;
  /** Every way that was measured. */
  readonly trials: readonly MeasuredWay[];
  /** When the last of them was measured, in milliseconds since 1970. */
  readonly measuredAtMs: number;
}

/** The duration of one run in the worker. */
export interface TimedRun {
  /** Number of rows. */
  readonly size: number;
  /** Volume of each row: the product of its extents, see `ItemShape`. */
  readonly volume: number;
  /** Duration, in milliseconds. */
  readonly ms: number;
}

/** The outcome of the check that a batch gives the same answers as its items one by one. */
export interface BatchCheck {
  /**
   * - `passed`: the answers agree, and the model runs in batches.
   * - `failed`: the answers differ beyond tolerance, and the model runs item by item.
   * - `inconclusive`: not known yet. The model runs item by item until the check ends, or its first items decide.
   * - `skipped`: not checked, because the check is turned off or there are no batches.
   */
  readonly outcome: "passed" | "failed" | "inconclusive" | "skipped";
  /** What was compared, or why nothing was; a text for people. */
  readonly reason: string;
  /** Whether the outcome comes from an earlier session of the same model, backend and runtime. */
  readonly fromCache: boolean;
}

/** The outcome of the check of batches on one provider. */
export interface Verdict {
  readonly provider: ExecutionProvider;
  readonly batchCheck: BatchCheck;
}

/** A loaded model and the facts about its session, which has passed its trial. */
export interface LoadedModel {
  /** What items and answers have: without states. */
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  /** The inputs that hold state, in the order of the model. @default [] */
  readonly states?: readonly TensorInfo[];
  readonly provider: ExecutionProvider;
  /** Name of the GPU adapter; `null` on WASM. */
  readonly adapter: string | null;
  /** Size of the model and its external files, in bytes. */
  readonly modelBytes: number;
  /** Whether all of these files came from the cache. */
  readonly fromCache: boolean;
  /** Timed runs of the warm-up, one for each size. */
  readonly timings: readonly TimedRun[];
  readonly numThreads: number;
  /** Ways that could run the model here, too. Empty if the user has chosen the way. */
  readonly otherWays: readonly Way[];
  /** See `LoadRequest`. */
  readonly isNearGpu: boolean;
  /** What earlier visits have measured; `null` if nothing. */
  readonly ways: WayRecord | null;
  /** Run times that an earlier session learned on this backend; `null` if there are none. */
  readonly costs: CostModelData | null;
  readonly batchCheck: BatchCheck;
  /** What is known of the answers of its provider, or why an earlier provider is left out. */
  readonly providerCheck: ProviderCheck;
  /** Whether the model's batch dimension was fixed at 1 and has been rewritten to take larger batches. */
  readonly isRebatched: boolean;
  /** Whether the model ran with none of the guessed sizes. The first item then decides whether the provider works. */
  readonly isProvisional: boolean;
  /** Maximum batch size, in rows, if there was no memory for more in the warm-up; `null` if there was enough. */
  readonly maxRows: number | null;
}

export type LoadReply =
  | { readonly outcome: "ready"; readonly model: LoadedModel; readonly trials: readonly Trial[] }
  /**
   * The last of `trials` failed after ONNX Runtime had started in this worker, which can therefore try no other
   * provider. The page tries the remaining providers in a new worker, with these files.
   */
  | {
      readonly outcome: "spent";
      readonly trials: readonly Trial[];
      readonly location: ModelLocation;
      readonly externalData: readonly ExternalFile[];
      readonly variants: readonly ProviderFiles[];
      readonly fromCache: boolean;
      /**
       * Maximum batch size, in rows, with which to try the last provider again, because there was no memory for more;
       * `null` if a retry would not help.
       */
      readonly maxRows: number | null;
    }
  | { readonly outcome: "failed"; readonly trials: readonly Trial[]; readonly error: ErrorData };

/** The parameters of `WorkerApi.run`. */
export type RunRequest = RowsRequest | ItemsRequest | TextsRequest;

/** Rows of tensors, which the worker has until it replies. */
export interface RowsRequest extends KeptColumns {
  /** Their buffers are transferred. */
  readonly rows: SentRows;
  /** See `Batch`. */
  readonly paddedSize: number;
  readonly extents: readonly number[];
  /**
   * Whether a shared worker may run the rows together with those of other pages.
   * @default false
   */
  readonly mayMerge?: boolean;
  /**
   * Maximum silence of the worker while it executes the run, in milliseconds. Read by shared workers, which tell it to
   * other pages, and by those of groups, which tell it to other models.
   * @default 0
   */
  readonly timeoutMs?: number;
  /** For each row, the step that it is; `null` for a row without a sequence. @default no row has one */
  readonly steps?: readonly (SentStep | null)[];
}

/** A run of a shared worker, as a page needs to know it. */
export interface Turn {
  /** Whose rows it holds: those of this page alone, of another one alone, or of several. */
  readonly owner: "page" | "other" | "several";
  /**
   * Maximum silence of the worker, in milliseconds: that of the run (see `RunRequest`; of a run with rows of several
   * pages, the sum), and of other runs that the page does not hear of.
   */
  readonly timeoutMs: number;
}

/** The reply to a `RunRequest`. */
export type RunReply = RowsAnswer | ItemsAnswer | TextsAnswer | FailedReply;

/** The reply to a `RowsRequest`. */
export interface RowsAnswer {
  readonly ok: true;
  /** The outputs of the rows. Their buffers are transferred. */
  readonly outputs: AnsweredRows;
  readonly inferenceMs: number;
  /** Number of rows of the run, if it held rows of other pages too; 0 if nothing ran. */
  readonly rows?: number;
  /** For each row, the state after its step, if the step returns it; otherwise `null`. @default none does */
  readonly states?: readonly (StateData | null)[];
}

/** The reply to a run that failed. */
export interface FailedReply {
  readonly ok: false;
  readonly error: ErrorData;
  /** Whether the worker can run nothing more, because its GPU device is lost or its WebAssembly has trapped. */
  readonly fatal: boolean;
  /** Whether the run that failed held only a part of the batch: it shows nothing of the other items. @default false */
  readonly isPartial?: boolean;
  /** The rows of a `RowsRequest`, whose buffers are transferred back: the page may have no copy. */
  readonly returned?: SentRows;
}

/** What a page learns about a model: the run times on its current way, or which way is best. */
export type Learned = { readonly costs: CostModelData } | { readonly ways: WayRecord };

/** The calls of a worker. They return errors as data and never throw: Comlink loses the class, code and cause. */
export interface WorkerApi {
  /** Loads the model. Called at most once per worker. */
  load(request: LoadRequest): Promise<LoadReply>;
  /**
   * Runs a batch. Stacks and pads its rows, and splits and trims the outputs. Items go through `preprocess` before, and
   * through `postprocess` after that, or through the user's engine instead.
   */
  run(request: RunRequest): Promise<RunReply>;
  /**
   * Returns items that another worker will run. Waits until no batch and no `preprocess` uses them. Bitmaps and frames
   * that `preprocess` has closed are `null` in them. The reply lacks an item that cannot be returned.
   */
  recall(ids: readonly number[]): Promise<readonly HandledItem[]>;
  /** Stores what the page has learned for later sessions, if there is a cache. */
  learn(learned: Learned): Promise<void>;
}

/** The call `run`, as a message or in shared memory. Runs begin in the order of their numbers, which count from 1. */
export interface RunMessage {
  readonly run: number;
  readonly request: RunRequest;
}

/** The reply to a `RunMessage`. */
export interface RunAnswer {
  readonly ran: number;
  readonly reply: RunReply;
}

/** How much of one or more files has arrived. */
export interface ByteProgress {
  readonly loadedBytes: number;
  /** `null` while the total is not known. */
  readonly totalBytes: number | null;
}

/** Progress of loading the model. The bytes are those of the model's files. */
export interface ProgressNotice extends ByteProgress {
  readonly notice: "progress";
  readonly phase: "download" | "cache" | "runtime" | "compile" | "warmup";
  /** The provider that is being tried; `null` before the first trial. */
  readonly provider: ExecutionProvider | null;
  /** The bytes of ONNX Runtime's WebAssembly. Only in the phase `runtime`. */
  readonly runtime?: ByteProgress;
}

/** A message of the worker that is not the reply to a call. */
export type WorkerNotice =
  /** The worker's script has run, and the worker accepts calls. The first message of every worker. */
  | { readonly notice: "ready"; readonly version: string }
  /** The time of a `WakeRequest` has passed. */
  | { readonly notice: "wake" }
  /** The worker holds this Web Lock until it ends. Sent only where the worker can hold one, see `holdLifeline`. */
  | { readonly notice: "alive"; readonly lock: string }
  | ProgressNotice
  /**
   * The worker has obtained the model, listed first, and its external files. Sent before the first trial, of what was
   * downloaded without digests, and again with these once the model is loaded.
   */
  | {
      readonly notice: "obtained";
      readonly files: readonly ObtainedFile[];
      /** The digests follow. @default they are there, or cannot be computed */
      readonly isPending?: true;
      /** The provider whose files they are. @default all have the same */
      readonly provider?: ExecutionProvider;
    }
  /** The cache holds the files of the model that the worker has, or will not hold them. */
  | { readonly notice: "stored"; readonly provider?: ExecutionProvider }
  /** A background run of the warm-up, after the model is ready. */
  | { readonly notice: "timed"; readonly run: TimedRun }
  /** The WebAssembly memory has grown. */
  | ({ readonly notice: "memory" } & MemoryUse)
  /** The outcome of a check that was pending when the model became ready. */
  | { readonly notice: "checked"; readonly check: BatchCheck }
  /** The comparison of the provider's answers with those of WASM has come to a new outcome. */
  | { readonly notice: "compared"; readonly check: ProviderCheck }
  /**
   * A run of the check of batches begins, with this number of rows, or one of the comparison with WASM. Also sent for
   * warm-up runs with more rows than the first one. With 0 rows, the run has ended; not sent if the run ended the
   * worker.
   */
  | { readonly notice: "checking"; readonly rows: number; readonly isComparison?: boolean }
  /**
   * A run begins in a shared worker. Sent for the first run after the page has joined, for another owner, and for a run
   * that may take longer than the last one sent; while runs of this page wait for those of others, also once a second.
   */
  | { readonly notice: "turn"; readonly turn: Turn }
  /**
   * The run of items with this first item begins, and not the one that the page must assume: the one named last if it
   * is open, or else the oldest. `preprocess` of an earlier run may wait for longer than that of a later one.
   */
  | { readonly notice: "executing"; readonly item: number }
  /** The engine in the worker is still loading. Only a sign of life. */
  | { readonly notice: "loading" }
  /** The worker no longer uses the database. The answer to a `ShutDownRequest`. */
  | { readonly notice: "shutDown" }
  /** What comes before "shutDown" waits for ONNX Runtime to be compiled. */
  | { readonly notice: "compiling" }
  /** A failure that affects no request, such as a broken cache. */
  | { readonly notice: "warning"; readonly error: ErrorData }
  /** The worker can run nothing more. Open calls may never be answered. */
  | { readonly notice: "lost"; readonly error: ErrorData };

/**
 * Asks a worker to send the notice "wake" after `wakeInMs` milliseconds. That worker has no other work. Browsers delay
 * the timers of a hidden page, but not those of its workers.
 */
export interface WakeRequest {
  readonly wakeInMs: number;
}

/**
 * Asks a worker that is about to be terminated to end its engine, and to finish its work on the database. WebKit never
 * frees a database that a worker was using when it was terminated.
 */
export interface ShutDownRequest {
  readonly shutDown: true;
  /** Whether it is the last model of a group: the worker ends, so that nothing needs to be released. */
  readonly isLast?: boolean;
}

/** Gives the worker the memory that carries all later runs that fit into it. */
export interface SharedMemory {
  readonly shared: SharedArrayBuffer;
}

/** Gives the worker items before the batches that they will be in, so that `preprocess` overlaps with waiting. */
interface DeliveryNotice {
  readonly delivered: readonly HandledItem[];
}

/** Tells the worker that a delivered item needs no answer any more. */
interface WithdrawalNotice {
  readonly withdrawn: number;
}

/** Tells the worker that no step of a sequence follows, so that it drops the state. */
interface SequenceEndNotice {
  readonly endedSequence: number;
}

/** A message about items, sequences or tensors in the worker. */
export type ItemNotice = DeliveryNotice | WithdrawalNotice | SequenceEndNotice | ReleaseNotice;

/** A message of the page that has no reply. */
export type PageNotice = WakeRequest | ShutDownRequest | SharedMemory | ItemNotice;

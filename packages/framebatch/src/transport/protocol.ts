import type { ExecutionProvider } from "../core/providers.js";
import type { CostModelData } from "../core/cost/cost-model.js";
import type { ErrorData } from "../core/errors.js";
import type { ModelSignature } from "../core/model/signature.js";
import type { PaddingByInput, PaddingPlan } from "../core/padding/plan.js";
import type { RowContent } from "../core/collate/prepared-item.js";
import type { Tensor } from "../core/tensor/tensor.js";

/**
 * What crosses between the page and its worker: types only. Calls have replies (`WorkerApi`); notices have none (`WorkerNotice`, `PageNotice`).
 */

/** Where the worker finds a file of the model. */
export type ModelLocation =
  /** `pinned` is the digest, sha-256 in base64, that its bytes must have; `null` before the model was first loaded. */
  | { readonly url: string; readonly pinned: string | null }
  /** Bytes are transferred; with the digest under which the cache holds them, if it does. */
  | { readonly bytes: ArrayBuffer; readonly sha256: string | null };

/** A file of weights beside the model, by the path that the model knows it by. */
export interface ExternalFile {
  readonly path: string;
  readonly location: ModelLocation;
  readonly integrity: string | null;
}

export interface LoadRequest {
  readonly location: ModelLocation;
  readonly externalData: readonly ExternalFile[];
  /** Of the model and its external files, each; a larger one is refused as it arrives. */
  readonly maxModelBytes: number;
  /** In the order in which they are to be tried; never empty. */
  readonly providers: readonly ExecutionProvider[];
  readonly batchAxis: Readonly<Record<string, number | null>>;
  readonly padding: PaddingByInput;
  readonly cache: boolean;
  readonly integrity: string | null;
  readonly warmup: boolean;
  /** Whether a model whose batch is fixed at 1 may be rewritten to take more. */
  readonly rebatch: boolean;
  /** What the check that batches answer as single items do may take before the model is ready, in milliseconds; `null` for no check. */
  readonly verifyBudgetMs: number | null;
  /** What earlier workers of this model have found out, and this one need not. */
  readonly found: readonly Verdict[];
  /** Example items, as the user gave them; empty where sizes and contents are to be made up. */
  readonly samples: readonly unknown[];
  /** Larger batches are never asked for, so the warm-up does not run them. */
  readonly maxBatchSize: number;
  /** The only sizes that batches are run with; empty where they are exact. */
  readonly allowedBatchSizes: readonly number[];
  readonly sessionOptions: Readonly<Record<string, unknown>>;
  /** Absolute: a URL that ends with `/`, or a URL by file name. `null` where ONNX Runtime finds its files by itself. */
  readonly wasmPaths: string | Readonly<Record<string, string>> | null;
  readonly numThreads: number;
  /** A download that brings nothing for so long, in milliseconds, has failed. */
  readonly stallTimeoutMs: number;
}

/** What identifies a file that a worker has obtained from an address. */
export interface ObtainedFile {
  /** In base64; `null` where the page may not compute a digest, and for bytes that came with the request. */
  readonly sha256: string | null;
  /** The `Blob` that was downloaded; `null` where the file came out of the cache, or with the request. */
  readonly blob: object | null;
}

/** What became of one provider. */
export interface Trial {
  readonly provider: ExecutionProvider;
  readonly chosen: boolean;
  readonly reason: string;
}

/** How long one run took in the worker. */
export interface TimedRun {
  /** Rows in it. */
  readonly size: number;
  /** Volume of each row, as in `ItemShape`. */
  readonly volume: number;
  readonly ms: number;
}

/** Whether a batch of this model answers as its items do one by one. */
export interface BatchCheck {
  /**
   * - `passed`: they answer the same, and the model runs in batches.
   * - `failed`: they differ beyond tolerance, and the model runs item by item.
   * - `inconclusive`: not known yet; the model runs item by item until its first items tell.
   * - `skipped`: not checked, as asked, or because there are no batches.
   */
  readonly outcome: "passed" | "failed" | "inconclusive" | "skipped";
  /** What was compared, or why not; for people. */
  readonly reason: string;
  /** The check was made by an earlier session of the same model, backend and runtime. */
  readonly fromCache: boolean;
}

/** What was found out about batches on one provider. */
export interface Verdict {
  readonly provider: ExecutionProvider;
  readonly batchCheck: BatchCheck;
}

/** A session that has passed its trial. */
export interface LoadedModel {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly provider: ExecutionProvider;
  /** The GPU adapter's name; `null` on WASM. */
  readonly adapter: string | null;
  readonly modelBytes: number;
  readonly fromCache: boolean;
  /** Runs of the warm-up, one for each size that was timed. */
  readonly timings: readonly TimedRun[];
  /** What an earlier session learned of run times on this backend; `null` where there was none. */
  readonly costs: CostModelData | null;
  readonly batchCheck: BatchCheck;
  /** Whether the model was fixed at one item and has been rewritten to take more. */
  readonly isRebatched: boolean;
  /** Whether the model ran with none of the sizes that were guessed, so that its first item decides on the provider. */
  readonly isProvisional: boolean;
  /** Rows that batches may have where the warm-up has found no memory for more; `null` where it has not. */
  readonly maxRows: number | null;
}

export type LoadReply =
  | { readonly outcome: "ready"; readonly model: LoadedModel; readonly trials: readonly Trial[] }
  /**
   * The last of `trials` failed after ONNX Runtime had begun in this worker, and a failed beginning stays with the worker:
   * the providers that are left are to be tried in a new one, with these bytes. The bytes are transferred.
   */
  | {
      readonly outcome: "spent";
      readonly trials: readonly Trial[];
      readonly location: ModelLocation;
      readonly externalData: readonly ExternalFile[];
      readonly fromCache: boolean;
      /** The last provider is to be tried once more with batches of so many rows: there was no memory for more. Else `null`. */
      readonly maxRows: number | null;
    }
  | { readonly outcome: "failed"; readonly trials: readonly Trial[]; readonly error: ErrorData };

/** Rows that are too large to be stacked on the page's thread. */
export interface StackRequest {
  /** Their buffers are transferred, and come back with the reply. */
  readonly rows: readonly RowContent[];
  /** As in `Batch`. */
  readonly paddedSize: number;
  readonly extents: readonly number[];
}

/** The batch waits in the worker for a run of `"stacked"`, which also tells if stacking has failed. */
export interface StackReply {
  /** The page's again, so that a worker that dies in the run takes nothing with it. */
  readonly rows: readonly RowContent[];
}

export interface RunRequest {
  /** By input name, and transferred; or `"stacked"` for the batch of the last `StackRequest`. */
  readonly feeds: Readonly<Record<string, Tensor>> | "stacked";
}

export type RunReply = WholeReply | SplitReply;

/** The outputs of a batch that the page stacked, and splits. */
export type WholeReply =
  | {
      readonly ok: true;
      /** By output name. Their buffers are transferred. */
      readonly outputs: Readonly<Record<string, Tensor>>;
      readonly inferenceMs: number;
    }
  | FailedReply;

/** The outputs of a batch that the worker stacked, and has split. */
export type SplitReply =
  | {
      readonly ok: true;
      /** Of each row, by output name. Their buffers are transferred. */
      readonly results: readonly Readonly<Record<string, Tensor>>[];
      readonly inferenceMs: number;
    }
  | FailedReply;

export interface FailedReply {
  readonly ok: false;
  readonly error: ErrorData;
  /** The worker cannot run anything again: its GPU device is lost, or its WebAssembly has trapped. */
  readonly fatal: boolean;
}

/** What a worker answers to. No method throws: errors are data, since Comlink loses their class, code and cause. */
export interface WorkerApi {
  /** Once in the life of a worker. */
  load(request: LoadRequest): Promise<LoadReply>;
  run(request: RunRequest): Promise<RunReply>;
  /** Stacks large rows for a run. */
  stack(request: StackRequest): Promise<StackReply>;
  /** Keeps what the page has learned of run times for later sessions, where there is a cache. */
  learn(costs: CostModelData): Promise<void>;
}

/** To a worker of which nothing else is asked: to say "wake" after so long. Browsers hold the timers of a hidden page back. */
export interface WakeRequest {
  readonly wakeInMs: number;
}

/** To a worker that is about to be ended: WebKit never frees a database that a worker had in hand as it was ended. */
export interface LeaveRequest {
  readonly leave: true;
}

/** Memory through which runs go from now on. */
export interface SharedMemory {
  readonly shared: SharedArrayBuffer;
}

/** What a page says without waiting for a reply. */
export type PageNotice = WakeRequest | LeaveRequest | SharedMemory;

export interface ProgressNotice {
  readonly notice: "progress";
  readonly phase: "download" | "cache" | "compile" | "warmup";
  /** The provider under trial; `null` before the first. */
  readonly provider: ExecutionProvider | null;
  readonly loadedBytes: number;
  readonly totalBytes: number | null;
}

/** What a worker says without being asked. */
export type WorkerNotice =
  /** Its script has run to the end, and calls will be heard. The first message of every worker. */
  | { readonly notice: "ready" }
  /** The time of a `WakeRequest` has come. */
  | { readonly notice: "wake" }
  /** It holds this Web Lock, and will until it is no more. Said by workers that have locks. */
  | { readonly notice: "alive"; readonly lock: string }
  | ProgressNotice
  /** The model and then its external files are there. Comes before the first provider is tried. */
  | { readonly notice: "obtained"; readonly files: readonly ObtainedFile[] }
  /** A run of the warm-up that goes on once the model is ready. */
  | { readonly notice: "timed"; readonly run: TimedRun }
  /** The outcome of a check that was pending when the model was ready. */
  | { readonly notice: "checked"; readonly check: BatchCheck }
  /** A run of a check that the model is ready for begins, of so many rows; or, with 0 rows, has ended well or not. */
  | { readonly notice: "checking"; readonly rows: number }
  /** Nothing is in hand in the database, nor will be. The answer to a `LeaveRequest`. */
  | { readonly notice: "left" }
  /** Something that harms no request, such as a broken cache. */
  | { readonly notice: "warning"; readonly error: ErrorData }
  /** The worker cannot run anything again. Open calls may never be answered. */
  | { readonly notice: "lost"; readonly error: ErrorData };

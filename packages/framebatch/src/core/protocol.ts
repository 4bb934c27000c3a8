import type { ErrorData } from "./errors.js";
import type { ModelSignature } from "./model-signature.js";
import type { PaddingByInput, PaddingPlan } from "./padding-plan.js";
import type { Tensor } from "./tensor.js";

/**
 * What crosses between the page and its worker: types only. Calls travel over Comlink (`WorkerApi`); what the worker
 * says on its own account travels as plain messages (`WorkerNotice`), which Comlink ignores because they have no `id`.
 */

/** The execution providers that a worker can try. */
export type Provider = "webgpu" | "wasm";

/** Where the worker finds the model. Bytes are transferred. */
export type ModelLocation = { readonly url: string } | { readonly bytes: ArrayBuffer };

export interface LoadRequest {
  readonly location: ModelLocation;
  /** In the order in which they are to be tried; never empty. */
  readonly providers: readonly Provider[];
  readonly batchAxis: Readonly<Record<string, number | null>>;
  readonly padding: PaddingByInput;
  readonly cache: boolean;
  readonly integrity: string | null;
  readonly warmup: boolean;
  /** Larger batches are never asked for, so the warm-up does not run them. */
  readonly maxBatchSize: number;
  readonly sessionOptions: Readonly<Record<string, unknown>>;
  /** Absolute: a URL that ends with `/`, or a URL by file name. `null` where ONNX Runtime finds its files by itself. */
  readonly wasmPaths: string | Readonly<Record<string, string>> | null;
  readonly numThreads: number;
  /** A download that brings nothing for so long, in milliseconds, has failed. */
  readonly stallTimeoutMs: number;
}

/** What became of one provider. */
export interface Trial {
  readonly provider: Provider;
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

/** A session that has passed its trial. */
export interface LoadedModel {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly provider: Provider;
  /** The GPU adapter's name; `null` on WASM. */
  readonly adapter: string | null;
  readonly modelBytes: number;
  readonly fromCache: boolean;
  /** Runs of the warm-up, one for each size that was timed. */
  readonly timings: readonly TimedRun[];
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
      readonly bytes: ArrayBuffer;
      readonly fromCache: boolean;
    }
  | { readonly outcome: "failed"; readonly trials: readonly Trial[]; readonly error: ErrorData };

export interface RunRequest {
  /** By input name. Their buffers are transferred. */
  readonly feeds: Readonly<Record<string, Tensor>>;
}

export type RunReply =
  | {
      readonly ok: true;
      /** By output name. Their buffers are transferred. */
      readonly outputs: Readonly<Record<string, Tensor>>;
      readonly inferenceMs: number;
    }
  | {
      readonly ok: false;
      readonly error: ErrorData;
      /** The worker cannot run anything again: its GPU device is lost, or its WebAssembly has trapped. */
      readonly fatal: boolean;
    };

/** What a worker answers to. Neither method throws: errors are data, since Comlink loses their class, code and cause. */
export interface WorkerApi {
  /** Once in the life of a worker. */
  load(request: LoadRequest): Promise<LoadReply>;
  run(request: RunRequest): Promise<RunReply>;
}

export interface ProgressNotice {
  readonly notice: "progress";
  readonly phase: "download" | "cache" | "compile" | "warmup";
  /** The provider under trial; `null` before the first. */
  readonly provider: Provider | null;
  readonly loadedBytes: number;
  readonly totalBytes: number | null;
}

/** What a worker says without being asked. */
export type WorkerNotice =
  /** Its script has run to the end, and calls will be heard. The first message of every worker. */
  | { readonly notice: "ready" }
  | ProgressNotice
  /** Something that harms no request, such as a broken cache. */
  | { readonly notice: "warning"; readonly error: ErrorData }
  /** The worker cannot run anything again. Open calls may never be answered. */
  | { readonly notice: "lost"; readonly error: ErrorData };

/** Tells a notice from Comlink's replies. */
export function isWorkerNotice(data: unknown): data is WorkerNotice {
  return typeof data === "object" && data !== null && "notice" in data;
}

import type { ExecutionProvider } from "../../core/providers.js";
import type { Priority } from "../../core/queue/priority.js";
import type { ItemShape } from "../../core/shape.js";
import type { PaddingOptions } from "../../core/padding/options.js";
import type { ReleaseRule } from "../../core/schedule/release/index.js";
import type { InputRange } from "../../core/collate/input-range.js";
import type { Item as ModelItem } from "./model.js";
import type { ModelSource } from "./model-source.js";
import type { TrustedAddress } from "../page/host.js";

export type { ExecutionProvider, InputRange, PaddingOptions };

/** When a batch is sent. See the README's "How batching decides". */
export type ReleaseMode = ReleaseRule;

export interface BatchingOptions {
  /**
   * `"frame"`: wait while waiting is free before the next paint, and only where others join.
   * `"idle"`: never wait while the engine is free.
   * `"window"`: wait for `maxBatchSize` requests or for `maxQueueDelayMs`.
   * @default "frame"
   */
  readonly release?: ReleaseMode;
}

/** How a batcher queues, batches and refuses. */
export interface BatcherOptions {
  /**
   * `false` hands each request to the worker alone and at once, for comparison; to queue without batching, set
   * `maxBatchSize: 1`. @default { release: "frame" }
   */
  readonly batching?: false | BatchingOptions;
  /** Most requests in one batch; an integer from 1 to 4096. @default 256, or as many as make 32 MiB of inputs */
  readonly maxBatchSize?: number;
  /** Ascending sizes that batches are padded up to; the last one is the largest batch. @default none: sizes are exact */
  readonly allowedBatchSizes?: readonly number[];
  /** `window` only: longest wait of the oldest request, in milliseconds, 0 or more. @default 10 */
  readonly maxQueueDelayMs?: number;
  /**
   * Objective for a request from call to result, in milliseconds. A request that cannot meet it is refused at once with
   * `OVERLOADED`. @default none
   */
  readonly maxLatencyMs?: number;
  /**
   * Most requests waiting, those that share a row included; further ones are refused with `OVERLOADED`. An answer from the result
   * cache, and a request in place of an older one with its `key`, need no room. An integer from 1. @default 100000
   */
  readonly maxQueueSize?: number;
  /** Identical inputs that wait at the same time share one row. @default false */
  readonly dedupe?: boolean;
  /** Results kept for identical inputs, least recently used out first; 0 keeps none. An integer. @default 0 */
  readonly resultCacheSize?: number;
}

/** How one request is treated. */
export interface PredictOptions {
  /** Aborting rejects the request with `signal.reason`. A `TaskSignal` also carries a priority. */
  readonly signal?: AbortSignal;
  /** @default the signal's own priority, or "user-visible" */
  readonly priority?: Priority;
  /** Longest time from the call to the result, in milliseconds; afterwards it rejects with `TIMED_OUT`. @default none */
  readonly timeoutMs?: number;
  /**
   * A newer request with the same key takes the place of a queued older one, in the queue too, or is answered from the result cache
   * in its place; the older one rejects with `SUPERSEDED`.
   */
  readonly key?: string;
}

/** How one prediction of a model is treated. */
export interface ModelPredictOptions extends PredictOptions {
  /**
   * Moves the item's arrays instead of copying them: once the call has returned their buffers are detached, whatever becomes of
   * the request, unless it is refused with `INVALID_INPUT` or `INVALID_OPTION`. For large items, from some 100 kB. Arrays that
   * do not fill a buffer of their own, plain arrays, and arrays of another type than the model's are copied. @default false
   */
  readonly transfer?: boolean;
}

/** A file of weights that an ONNX model keeps beside itself. */
export interface ExternalDataFile {
  /** As the model names it: relative, without "..". */
  readonly path: string;
  readonly source: ModelSource;
  /** As `integrity` of the model. @default none */
  readonly integrity?: string;
}

/** Options of `batched()`: those of a batcher, and what it must know of the items. */
export interface BatchedOptions<Item> extends BatcherOptions {
  /**
   * What an item is to a batch: which others may share its batch, and how large it is. Extents are numbers from 0; where they are
   * not, or where it throws, the request rejects. @default all alike
   */
  readonly shapeOf?: (item: Item) => ItemShape;
  /**
   * The identity of an item, for `dedupe` and `resultCacheSize`; `undefined` for an item that shares no result. It costs a pass
   * over the item, so give large items a key that is cheaper. @default the exact content of primitives, and of plain objects,
   * arrays, typed arrays and array buffers made of them; an item with anything else in it (a Map, a Blob) shares no result
   */
  readonly contentKey?: (item: Item) => string | undefined;
}

/** Where `createBatchedModel` has got to. */
export interface LoadProgress {
  /** `download`: bytes arrive; `cache`: they come from the cache; `compile`: the session is made; `warmup`: first runs; `ready`. */
  readonly phase: "download" | "cache" | "compile" | "warmup" | "ready";
  /**
   * Of all files together, each once, however many `instances` load it. Only ever grows, but for a download that starts again after
   * it broke: it is back at 0 then.
   */
  readonly loadedBytes: number;
  /** `null` where a server does not tell, or has compressed the file. */
  readonly totalBytes: number | null;
}

/** Options of `createBatchedModel`. */
export interface ModelOptions extends BatcherOptions {
  /** Tried in order, each by a real run. @default ["webgpu", "wasm"] */
  readonly executionProviders?: readonly ExecutionProvider[];
  /** Batch axis by input or output name; `null` for an input that the whole batch shares. @default from the model's metadata */
  readonly batchAxis?: Readonly<Record<string, number | null>>;
  /**
   * By input name: how items of different sizes are made equal, so that they share a batch; `{}` pads on the right with
   * zeros. Not every model's answer is the same for a padded item. @default items of different sizes run apart
   */
  readonly padding?: Readonly<Record<string, PaddingOptions>>;
  /**
   * Runs batches of one, two and eight zero items before the model is ready, as far as 150 ms go: some faults of a backend
   * show only then, and the batcher starts with an idea of what a run costs. `false` leaves WebGPU one run. @default true
   */
  readonly warmup?: boolean;
  /**
   * Rewrites a model whose batch is fixed at 1 so that it takes more, where the rewritten model passes the check of `verify`.
   * `"off"` runs such a model item by item. @default "auto"
   */
  readonly rebatch?: "auto" | "off";
  /**
   * Compares batches with the same items one by one and among other batch-mates, and padded items with unpadded ones, before the model is trusted with batches;
   * until then it runs item by item. The items are `samples`, else made-up ones. The check takes at most `budgetMs` before the model
   * is ready; one that needs longer is made right after, between requests, and where made-up items do not tell, the first real ones
   * are compared. Where answers differ the next provider is tried, and at last the model runs item by item. The outcome is kept
   * with the cached model. @default { budgetMs: 250 }
   */
  readonly verify?: boolean | { readonly budgetMs: number };
  /**
   * Real example items, as for `predict`, in place of guessed sizes and made-up contents: the first is run to try each provider, the
   * warm-up has their sizes, and the check of `verify` compares all of them. They are copied at the call. Two to four items of usual
   * sizes are best. A model that takes windows of sound: `samples: [{ audio: { data: speech, dims: [1, 16000] } }]`.
   * @default none: sizes are guessed
   */
  readonly samples?: readonly ModelItem[];
  /** By input name: elements that are refused with `INVALID_INPUT` at the call; `"finite"` for every floating-point input. @default no check */
  readonly validate?: "finite" | Readonly<Record<string, InputRange>>;
  /** Files of weights beside the model, each fetched, checked and cached as the model is. Nothing else is fetched. @default none */
  readonly externalData?: readonly ExternalDataFile[];
  /** Largest size of the model's file and of each external file once decompressed, in bytes. @default 2147483648 */
  readonly maxModelBytes?: number;
  /**
   * Time after which a run that has not answered counts as hung, in milliseconds: its worker is ended and what was in
   * flight runs again. @default 10000, or 20 times the predicted time where that is longer; 60000 where nothing is known
   */
  readonly runTimeoutMs?: number;
  /**
   * Keeps the model in IndexedDB, and what was learned of it. With `false`, a worker that is lost can be replaced only while the
   * server still has the same bytes: they are downloaded again, and checked by digest. @default true for URLs
   */
  readonly cache?: boolean;
  /** Digest that the bytes must have, as in HTML: "sha256-…", "sha384-…" or "sha512-…", base64. @default none */
  readonly integrity?: string;
  /** Passed to ONNX Runtime's `InferenceSession.create`; `executionProviders` in it is ignored. */
  readonly sessionOptions?: Readonly<Record<string, unknown>>;
  /** Where ONNX Runtime's `.wasm` files are: a URL that ends with `/`, or a URL by file name. @default beside the script */
  readonly wasmPaths?: string | URL | Readonly<Record<string, string>>;
  /** The worker's script, for hosts that place it themselves; a `TrustedScriptURL` too. @default beside the script */
  readonly workerUrl?: string | URL | TrustedAddress;
  /** Threads of the WASM backend; more than 1 needs a cross-origin isolated page. @default 1 */
  readonly numThreads?: number;
  /** Workers that run batches side by side, each with its own copy of the model. 1 to 16. @default 1 */
  readonly instances?: number;
  /**
   * Longest time without a byte while a file of the model is downloaded, in milliseconds; then the load rejects with
   * `MODEL_STALLED`. Starting the worker, compiling and warming up are not counted: each of them may take 60 s, or `runTimeoutMs`
   * where that is longer. @default 30000
   */
  readonly stallTimeoutMs?: number;
  /**
   * Hears of the first load, until the model is ready. An error that it throws is reported as an uncaught one is, and does not
   * stop the load. @default nobody
   */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Aborting stops the loading; the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal;
}

import type { Priority } from "../queue/request.js";
import type { ItemShape } from "../queue/shape.js";
import type { ReleaseRule } from "../decide/release-rules.js";
import type { BatcherConfig } from "../batcher/batcher-config.js";

/** The rule that decides when a batch is dispatched. `BatchingOptions.release` describes each. */
export type ReleaseMode = ReleaseRule;

/** When batches are dispatched. */
export interface BatchingOptions {
  /**
   * The release rule:
   * - `"frame"`: waits only while waiting cannot delay the next paint, and only if other requests are likely to join.
   * - `"idle"`: dispatches whenever the engine is free, and never waits.
   * - `"window"`: waits for `maxBatchSize` requests, or until the oldest request has waited `maxQueueDelayMs`
   *   or would otherwise miss its `timeoutMs` or `maxLatencyMs`.
   *
   * In a hidden tab every rule behaves as `"idle"`. In a worker `"frame"` does, because nothing paints there.
   * @default "frame"; "idle" for a model with `recurrent`, whose steps wait for each other
   * @example await createBatchedModel(url, { batching: { release: "idle" } });
   */
  readonly release?: ReleaseMode;
}

/** How a batcher queues, batches and rejects requests. */
export interface BatcherOptions {
  /**
   * When batches are dispatched. `false` dispatches each request alone and at once, without queueing; it exists for
   * comparison. To queue requests without batching them, set `maxBatchSize: 1` instead.
   * @default { release: "frame" }; { release: "idle" } for a model with `recurrent`
   * @example await createBatchedModel(url, { batching: false });
   */
  readonly batching?: false | BatchingOptions;
  /**
   * Maximum number of requests in one batch: an integer from 1 to 4096. If `allowedBatchSizes` is set, it must equal
   * the last of them. A model whose batch dimension is fixed uses that size instead.
   * @default 256; for a model, at most as many items as have 32 MiB of inputs
   * @example await createBatchedModel(url, { maxBatchSize: 32 });
   */
  readonly maxBatchSize?: number;
  /**
   * The only sizes that batches run with: ascending integers from 1 to 4096. A smaller batch is padded up to the next
   * allowed size by repeating its last item. The last one is the maximum batch size.
   * @default none: every batch runs at its exact size
   * @example await createBatchedModel(url, { allowedBatchSizes: [1, 4, 16] }); // 5 items run as 16 rows
   */
  readonly allowedBatchSizes?: readonly number[];
  /**
   * Maximum time that the oldest request waits, in milliseconds: 0 or more. Applies to the release rule `"window"`
   * only.
   * @default 10
   * @example await createBatchedModel(url, { batching: { release: "window" }, maxQueueDelayMs: 5 });
   */
  readonly maxQueueDelayMs?: number;
  /**
   * Latency objective: the maximum time from the call to the result, in milliseconds, above 0. A request that is
   * predicted to miss it rejects at once with `OVERLOADED`. A queued request that can no longer meet it is dropped,
   * also with `OVERLOADED`. Batches are as large as serves most requests within it; a single request always may run. A
   * model that seems too slow for any request gets one at a time all the same, from a second after its last slow run,
   * to find out. So does an idle model for an item that is more than twice as large as any before. Requests of
   * background priority are exempt.
   * @default none
   * @example await createBatchedModel(url, { maxLatencyMs: 100 });
   */
  readonly maxLatencyMs?: number;
  /**
   * Maximum number of queued requests: an integer from 1. Requests that share a row count one by one. Further requests
   * reject with `OVERLOADED`. A result from the result cache, and a request that supersedes a queued one with the same
   * `key`, need no room.
   * @default 100000
   * @example await createBatchedModel(url, { maxQueueSize: 1000 });
   */
  readonly maxQueueSize?: number;
  /**
   * Lets identical inputs that are queued at the same time share one row. A model gives each caller its own copy of the
   * outputs; `batched` gives each caller the same result object.
   * @default false
   * @example await createBatchedModel(url, { dedupe: true });
   */
  readonly dedupe?: boolean;
  /**
   * Number of results to keep for identical inputs: an integer from 0 to 10,000,000; 0 keeps none. The least recently
   * used result is evicted first. A model gives each caller its own copy of the outputs; `batched` gives each caller
   * the same result object. A result takes its own memory and about 300 bytes, whatever the size of its input.
   * @default 0
   * @example await createBatchedModel(url, { resultCacheSize: 500 });
   */
  readonly resultCacheSize?: number;
}

/** How one request is treated. */
export interface PredictOptions {
  /**
   * Aborts the request: it rejects with `signal.reason`. A queued request then never runs, and the result of a running
   * one is dropped. The priority of a `TaskSignal` applies too, unless `priority` is set.
   * @default none
   * @example await model.predict(item, { signal: AbortSignal.timeout(1000) });
   */
  readonly signal?: AbortSignal;
  /**
   * Position in the queue: `"user-blocking"`, `"user-visible"` or `"background"`, most urgent first. While the page is
   * visible, the others wait for background requests at most a frame, or for one of them if that takes longer.
   * @default the signal's own priority, or "user-visible"
   * @example await model.predict(item, { priority: "background" });
   */
  readonly priority?: Priority;
  /**
   * Maximum time from the call to the result, in milliseconds, above 0. The request then rejects with `TIMED_OUT`. In a
   * stream the time counts from when the item is queued.
   * @default none
   * @example await model.predict(item, { timeoutMs: 200 });
   */
  readonly timeoutMs?: number;
  /**
   * Replaces a queued request with the same key. The older request rejects with `SUPERSEDED`, and the newer one takes
   * its position in the queue or is answered from the result cache. A request that runs already is not affected. Lists
   * and streams reject a key with `INVALID_OPTION`.
   * @default none
   * @example await model.predict(item, { key: "search-field" }); // only the newest keystroke counts
   */
  readonly key?: string;
}

/** How one prediction of a model is treated. */
export interface ModelPredictOptions extends PredictOptions {
  /**
   * Moves the item's arrays instead of copying them; useful for items larger than about 100 kB. The arrays' buffers are
   * detached when the call returns, if the request is accepted. One that is refused leaves them intact: it rejects with
   * `INVALID_INPUT` or `INVALID_OPTION`, with `OVERLOADED` at the call, or because its signal has aborted before. A
   * stream takes each item over as it pulls it. An array is copied if it does not fill its whole buffer, if two inputs
   * share its buffer, or if it has to be converted, as a plain array of numbers has.
   *
   * If the worker has handlers, moves everything in the item that can be transferred, such as bitmaps and frames. An
   * item for handlers, or of 64 KiB or more, moves on to the worker. If the worker crashes before it has answered, the
   * item is lost with it, and the request rejects with `WORKER_CRASHED`. With `dedupe`, `resultCacheSize` or `remote`,
   * the page keeps a copy.
   * @default false
   * @example await model.predict({ image: pixels }, { transfer: true }); // pixels.length is 0 now
   */
  readonly transfer?: boolean;
}

/** Options of `batched`: those of a batcher, and what the batcher must know about the items. */
export interface BatchedOptions<Item> extends BatcherOptions {
  /**
   * Returns the shape of an item: which items may share its batch, and how large it is. Extents are numbers from 0. If
   * the function throws or returns other extents, the request rejects.
   * @default all items have one shape
   * @example const embed = batched(extractor, { shapeOf: (text) => ({ group: "", extents: [text.length] }) });
   */
  readonly shapeOf?: (item: Item) => ItemShape;
  /**
   * Returns the identity of an item for `dedupe` and `resultCacheSize`, or `undefined` for an item that shares no
   * result. Gets the item itself. If the function throws, the request rejects. The default reads the whole item, so
   * give large items a cheaper key.
   * @default the exact content of primitives, and of plain objects, arrays, typed arrays and array buffers of them; an
   * item that contains anything else (a Map, a Blob) shares no result
   * @example const tag = batched(tagPhotos, { dedupe: true, contentKey: (photo) => photo.id });
   */
  readonly contentKey?: (item: Item) => string | undefined;
  /**
   * Whether a batch for which the function throws runs again in parts, to find the item that is to blame. `false`
   * rejects the whole batch with the error, so that the function gets each item once: for calls that must not be
   * repeated. An error that says nothing about an item always rejects the whole batch: an abort, a timeout, a network
   * that fails, or the status of a server that is busy or broken, such as 429 or 503.
   * @default true
   * @example const embed = batched(extractor, { bisect: false });
   */
  readonly bisect?: boolean;
}

/** The part of a batcher's configuration that comes from the user's options. */
type BatcherSettings = Required<Pick<BatcherConfig<unknown, unknown>, "release" | "maxBatchSize" | "maxQueueSize">> &
  Pick<
    BatcherConfig<unknown, unknown>,
    "allowedBatchSizes" | "maxQueueDelayMs" | "maxLatencyMs" | "dedupe" | "resultCacheSize"
  >;

const DEFAULT_MAX_BATCH_SIZE = 256;
const DEFAULT_MAX_QUEUE_SIZE = 100_000;
/** Maximum number of rows of a batch. */
export const MAX_ROWS = 4096;

/**
 * Returns the options of a batcher that `checkBatcherOptions` has checked, and the defaults.
 * @param defaultRelease the rule if the options name none
 */
export function batcherSettings(options: BatcherOptions, defaultRelease: ReleaseRule = "frame"): BatcherSettings {
  const { batching, maxBatchSize, allowedBatchSizes, maxQueueDelayMs, maxLatencyMs, dedupe, resultCacheSize } = options;
  return {
    release: batching === false ? "off" : (batching?.release ?? defaultRelease),
    maxBatchSize: allowedBatchSizes?.at(-1) ?? maxBatchSize ?? DEFAULT_MAX_BATCH_SIZE,
    maxQueueSize: options.maxQueueSize ?? DEFAULT_MAX_QUEUE_SIZE,
    ...(allowedBatchSizes !== undefined && { allowedBatchSizes }),
    ...(maxQueueDelayMs !== undefined && { maxQueueDelayMs }),
    ...(maxLatencyMs !== undefined && { maxLatencyMs }),
    ...(dedupe !== undefined && { dedupe }),
    ...(resultCacheSize !== undefined && { resultCacheSize }),
  };
}

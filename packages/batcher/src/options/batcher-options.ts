import type { BatcherConfig } from "../batcher/batcher-config.js";
import type { ReleaseRule } from "../decide/release-rules.js";
import type { BatcherOptions } from "./options.js";

/** The part of a batcher's configuration that comes from the user's options. */
export type BatcherSettings = Required<
  Pick<BatcherConfig<unknown, unknown>, "release" | "maxBatchSize" | "maxQueueSize">
> &
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

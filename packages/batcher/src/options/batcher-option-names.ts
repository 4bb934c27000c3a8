import type { BatcherOptions } from "./options.js";

/** The names of all batcher options, for checks of unknown names. */
export const BATCHER_OPTION_NAMES: readonly (keyof BatcherOptions)[] = [
  "batching",
  "maxBatchSize",
  "allowedBatchSizes",
  "maxQueueDelayMs",
  "maxLatencyMs",
  "maxQueueSize",
  "dedupe",
  "resultCacheSize",
];

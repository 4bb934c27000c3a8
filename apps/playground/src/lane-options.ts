import type { ModelOptions } from "framebatch";

/** The options that the page adds to those of a scene's model. */
export type LaneOptions = Pick<
  ModelOptions,
  "executionProviders" | "batching" | "maxBatchSize" | "onProgress" | "signal"
>;

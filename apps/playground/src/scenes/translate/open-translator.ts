import { createBatchedModel, type BatchedModel } from "framebatch";
import type { LaneOptions } from "../../lane-options.js";

/** Creates the model of a side. Without batching, it has one text at a time. */
export function openTranslator(url: string, { batching, ...options }: LaneOptions): Promise<BatchedModel> {
  const oneByOne = batching === false ? { maxBatchSize: 1 } : {};
  return createBatchedModel(url, { ...options, ...oneByOne, generate: true });
}

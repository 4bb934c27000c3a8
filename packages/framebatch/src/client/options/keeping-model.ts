import type { DeviceTensor, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { KeepingPredictOptions } from "./options.js";
import type { LinkedModel } from "@framebatch/pipelines/builder/links.js";

/** A model of a group, which keeps outputs in the worker. */
export interface KeepingModel extends LinkedModel {
  /** Does what `predict` of a model does with the option `keepOnDevice`. */
  predict(item: unknown, options: KeepingPredictOptions): Promise<Record<string, Tensor | DeviceTensor>>;
}

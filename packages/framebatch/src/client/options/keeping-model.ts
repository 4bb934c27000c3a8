import type { DeviceTensor, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import type { KeptItem } from "./kept-item.js";
import type { KeepingPredictOptions } from "./options.js";
import type { LinkedModel } from "@framebatch/pipelines/builder/links.js";

/** A model of a group, which keeps outputs in the worker. */
export interface KeepingModel extends LinkedModel {
  /** Does what `predict` of a model does with the option `keepOnDevice`. */
  predict(item: unknown, options: KeepingPredictOptions): Promise<Record<string, Tensor | DeviceTensor>>;
  /** Does what `keep` of a model of a group does. */
  keepItem(item: unknown, options?: ModelPredictOptions): KeptItem;
}

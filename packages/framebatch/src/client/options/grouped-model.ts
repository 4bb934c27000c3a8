import type { BatchedModel, Item, Outputs } from "./model.js";
import type { KeptItem } from "./kept-item.js";
import type { KeptOutputsOf } from "./model-types.js";
import type { KeepingPredictOptions } from "./options.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import type { DeviceTensor, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { LinkedModel } from "@framebatch/pipelines/builder/links.js";

/** A model of tensors of a group, whose outputs may stay on the device for other models of the group. */
export interface GroupedModel<Input = Item, Output = Outputs> extends BatchedModel<Input, Output> {
  /**
   * Predicts one item, and leaves outputs where they are computed: see `KeepingPredictOptions.keepOnDevice`.
   * @throws as `predict`; OVERLOADED also when the group keeps `maxKeptBytes` already; DEVICE_LOST when an input is a handle
   * whose worker has ended; DISPOSED when it is one that was disposed of
   * @example const { features } = await embedding.predict({ audio }, { keepOnDevice: ["features"] });
   */
  predict<Name extends keyof Output & string>(
    item: Input,
    options: KeepingPredictOptions<Name>,
  ): Promise<KeptOutputsOf<Output, Name>>;
  /** Predicts one item, see `PredictingModel.predict`. */
  predict(item: Input, options?: ModelPredictOptions): Promise<Output>;
  /**
   * Predicts one item for the texts of a decoder: `given` takes what it returns, at once. The decoder finds its inputs among the
   * outputs and the inputs of the item by their names, also without `encoder_`, and takes `last_hidden_state` as
   * `encoder_hidden_states`. The outputs go to the page, once for each item.
   * @throws INVALID_OPTION for a model with `recurrent`. Everything else rejects `outputs`, and the texts that are given it: as
   * `predict`.
   * @example
   * ```ts
   * const text = decoder.generate({ input_ids: [0] }, { given: encoder.keep({ input_ids }) });
   * ```
   */
  keep(item: Input, options?: ModelPredictOptions): KeptItem<Output>;
}

/** A model of a group, which keeps outputs in the worker. */
export interface KeepingModel extends LinkedModel {
  /** Does what `predict` of a model does with the option `keepOnDevice`. */
  predict(item: unknown, options: KeepingPredictOptions): Promise<Record<string, Tensor | DeviceTensor>>;
  /** Does what `keep` of a model of a group does. */
  keepItem(item: unknown, options?: ModelPredictOptions): KeptItem;
}

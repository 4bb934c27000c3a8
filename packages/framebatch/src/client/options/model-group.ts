import type { Disposing } from "@framebatch/host/disposing.js";
import type { HandlerModelOptions, KeepingPredictOptions, ModelOptions } from "./options.js";
import type { BatchedModel, Item, KeptOutputsOf, Outputs } from "./model.js";
import type { KeptItem } from "../../kept/kept-item.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import type { DeviceTensor, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { LinkedModel } from "@framebatch/pipelines/builder/links.js";

/** A model of tensors of a group, whose outputs may stay on the device for other models of the group. */
export interface GroupedModel<Input = Item, Output = Outputs> extends BatchedModel<Input, Output> {
  /**
   * Predicts one item, and leaves outputs where they are computed: see `KeepingPredictOptions.keepOnDevice`.
   * @throws as `predict`; OVERLOADED also when the group keeps `maxKeptBytes` already; DEVICE_LOST when an input is a
   * handle whose worker has ended; DISPOSED when it is one that was disposed of
   * @example const { features } = await embedding.predict({ audio }, { keepOnDevice: ["features"] });
   */
  predict<Name extends keyof Output & string>(
    item: Input,
    options: KeepingPredictOptions<Name>,
  ): Promise<KeptOutputsOf<Output, Name>>;
  /** Predicts one item, see `PredictingModel.predict`. */
  predict(item: Input, options?: ModelPredictOptions): Promise<Output>;
  /**
   * Predicts one item for the texts of a decoder: `given` takes what it returns, at once. The decoder finds its inputs
   * among the outputs and the inputs of the item by their names, also without `encoder_`, and takes `last_hidden_state`
   * as `encoder_hidden_states`. The outputs go to the page, once for each item.
   * @throws INVALID_OPTION for a model with `recurrent`. Everything else rejects `outputs`, and the texts that are
   * given it: as `predict`.
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

/** The options of a model that a group has for all of its models. */
export const GROUP_OPTIONS = [
  "executionProviders",
  "numThreads",
  "providerOptions",
  "wasmPaths",
  "workerUrl",
  "worker",
] as const;

/** Options of `createModelGroup`. Except for `worker`, those of models, for all models of the group. */
export interface ModelGroupOptions extends Omit<Pick<ModelOptions, (typeof GROUP_OPTIONS)[number]>, "worker"> {
  /**
   * Starts a worker with a module that calls `serve.model` of `framebatch/worker` for each model with handlers. Called
   * for the first worker and for each replacement; must return a new worker each time.
   * @default the worker of framebatch
   */
  readonly worker?: () => Worker;
  /**
   * Size of the tensors that stay on the device, in bytes, from which on no further ones do: `keepOnDevice` rejects
   * with `OVERLOADED`, links of pipelines pass tensors through the page, and states of sequences go through the memory
   * of the worker. Each batch looks when it is sent, and counts outputs of free sizes as large as they were last. A
   * whole number from 0.
   * @default 268435456 (256 MiB)
   * @example const group = createModelGroup({ maxKeptBytes: 64e6 });
   */
  readonly maxKeptBytes?: number;
  /**
   * Maximum size of the WebAssembly memory of the worker, in bytes: ONNX Runtime and all models. A model or a batch
   * that finds none is `OUT_OF_MEMORY`, as at the 4 GiB that 32-bit addresses reach; a batch then runs in parts. ONNX
   * Runtime lets its memory grow in steps of a twentieth or more, and may not reach the limit. A whole number from
   * 33554432 (32 MiB).
   * @default no limit
   * @example const group = createModelGroup({ maxMemoryBytes: 300e6 });
   */
  readonly maxMemoryBytes?: number;
}

/** Statistics of a group. A plain object. */
export interface ModelGroupStats {
  /** Number of models. */
  readonly models: number;
  /**
   * Size of the WebAssembly memory of the worker, in bytes; 0 while there is none. ONNX Runtime, the `memoryBytes` of
   * all models, and what models that were disposed of have left for the others. It never shrinks.
   */
  readonly memoryBytes: number;
  /** Size of the tensors that stay on the device for handles and for links of pipelines, in bytes. */
  readonly keptBytes: number;
}

/** Models in one worker, with one ONNX Runtime and one GPU device. */
export interface ModelGroup extends Disposing {
  /** Returns a snapshot of the statistics. */
  stats(): ModelGroupStats;
  /**
   * Disposes of all models, also of those that still load, and ends the worker. Open and later requests reject with
   * `DISPOSED`. Safe to call more than once.
   */
  dispose(): Promise<void>;
}

/** Options of a model of a group with handlers, which the worker's module gives to `serve.model`. */
export interface GroupHandlerModelOptions<Input> extends Omit<
  HandlerModelOptions<Input>,
  (typeof GROUP_OPTIONS)[number] | "instances"
> {
  /** The group, which has the option `worker`. */
  readonly group: ModelGroup;
  /**
   * The name of the handlers, as in `serve.model(name, handlers)`.
   * @example await createBatchedModel("/mel.onnx", { group, handlers: "mel" });
   */
  readonly handlers: string;
  /** The group has the worker. */
  readonly worker?: undefined;
}

import type { ModelSource, SourceByProvider } from "../../client/options/model-source.js";
import type { HandlerModelOptions, ModelOptions } from "../../client/options/options.js";
import type { GroupHandlerModelOptions, ModelGroup } from "../../client/options/model-group.js";
import type {
  BatchedModel,
  ItemOf,
  ModelStats,
  ModelTypes,
  OutputsOf,
  UnknownModel,
} from "../../client/options/model.js";
import type { Disposing } from "@framebatch/host/disposing.js";

/** Options of `createModelHub`. */
export interface ModelHubOptions {
  /**
   * Maximum size of the WebAssembly memory of all models together, ONNX Runtime included, in bytes, above 0. When a
   * model needs memory, to load or for a larger batch, the hub unloads the models that have been idle for longest. A
   * single model may be larger than the budget.
   * @default the group's `maxMemoryBytes`, or no limit
   */
  readonly memoryBudgetBytes?: number;
  /**
   * Runs all models in the worker of this group, with one ONNX Runtime, instead of a worker for each. The memory of an
   * unloaded model then serves the others: WebAssembly memory never shrinks. When what was left exceeds a quarter of
   * the budget, the hub replaces the worker, which returns it to the system. The group's `maxMemoryBytes` is a budget
   * too: for a model that finds no memory below it, the hub unloads all others and loads it once more, then in a new
   * worker if what is free is in pieces. A group has one hub at a time. The hub does not dispose of the group.
   * @default each model has a worker of its own
   * @example
   * const group = createModelGroup({ executionProviders: ["wasm"] });
   * const hub = createModelHub({ group, memoryBudgetBytes: 300e6 });
   */
  readonly group?: ModelGroup;
}

/** The options of a model of a hub. */
export type HubModelOptions =
  | ModelOptions
  | HandlerModelOptions<unknown>
  | Omit<GroupHandlerModelOptions<unknown>, "group">;

/**
 * The state of a model in a hub, in the words of Triton's model repository:
 * - `UNAVAILABLE`: not in memory. `get`, or a request to the model, loads it.
 * - `LOADING`: a worker is starting, also in place of one that was lost. Requests wait.
 * - `READY`: predictions run.
 * - `UNLOADING`: the batches in flight are being answered; then the memory is freed.
 */
export type HubModelState = "UNAVAILABLE" | "LOADING" | "READY" | "UNLOADING";

/** A model of a hub. */
export interface HubModel {
  /** The name that it was registered with. */
  readonly name: string;
  /** Whether it is in memory. */
  readonly state: HubModelState;
  /** Why the model is unavailable: a text for people; `""` in every other state. */
  readonly reason: string;
  /** Size of its WebAssembly memory, in bytes; in a group, its share of it. 0 while it is not in memory. */
  readonly memoryBytes: number;
  /** When it was last used, in milliseconds of `performance.now()`; `null` if never. */
  readonly lastUsedMs: number | null;
}

/** The health of a hub, in the words of the Open Inference Protocol. */
export interface HubHealth {
  /** Whether the hub is in use: `false` after `dispose`. */
  readonly live: boolean;
  /**
   * Whether every model can answer requests: none has failed, in its first load or later. One that is not in memory
   * can.
   */
  readonly ready: boolean;
  /** Whether each model is in memory and answers at once, by name. */
  readonly models: Readonly<Record<string, boolean>>;
}

/** Statistics of a hub. A plain object. `toPrometheusText` turns it into one text for all models. */
export interface HubStats {
  /**
   * Size of the WebAssembly memory of all models, in bytes. In a group, that of its worker, with what models have left
   * there.
   */
  readonly memoryBytes: number;
  /** Number of times that a model was loaded. */
  readonly loads: number;
  /** Number of times that a model was unloaded. */
  readonly unloads: number;
  /** The statistics of each model that was loaded at least once, by name. They go on when it is loaded again. */
  readonly models: Readonly<Record<string, ModelStats>>;
}

/**
 * Holds many models within a memory budget. Each loads once, at its first use, and is shared by all who get it. A model
 * that was unloaded stays usable: its next request loads it again, from the cache if it came from a URL, and requests
 * wait meanwhile.
 */
export interface ModelHub extends Disposing {
  /**
   * Adds a model with handlers in the worker of the hub's group, without loading it.
   * @param name how `get` finds the model: a string of at least one character
   * @throws INVALID_OPTION when the name is taken, or when a source or an option is not valid.
   * @example hub.register("reader", "/models/reader.onnx", { handlers: "reader" });
   */
  register<Input>(
    name: string,
    source: ModelSource | SourceByProvider,
    options: Omit<GroupHandlerModelOptions<Input>, "group">,
  ): void;
  /**
   * Adds a model, or one whose worker has handlers, without loading it.
   * @param name how `get` finds the model: a string of at least one character
   * @throws INVALID_OPTION when the name is taken, or when a source or an option is not valid.
   * @example
   * ```ts
   * hub.register("digits", "/models/digits.onnx", { maxBatchSize: 32 });
   * hub.register("reader", "/models/reader.onnx", { worker: startWorker });
   * ```
   */
  // Together in the last overload, because the compiler reports a mistake against it.
  register<Input>(
    name: string,
    source: ModelSource | SourceByProvider,
    options?: ModelOptions | HandlerModelOptions<Input>,
  ): void;
  /**
   * Returns a model. Loads it if it is not in memory. All calls return the same model until somebody disposes of it, or
   * until its file no longer exists: neither the cache nor the server has the bytes of its first load. Requests to the
   * old model then reject, with `DISPOSED` or `MODEL_INTEGRITY`, and `get` returns a new one.
   * @throws INVALID_OPTION for a name that is not registered; DISPOSED, also while it loads; the errors of
   * `createBatchedModel`. A later call tries again.
   * @example const digits = await hub.get("digits");
   */
  get<Model extends ModelTypes<Model> = UnknownModel>(
    name: string,
  ): Promise<BatchedModel<ItemOf<Model>, OutputsOf<Model>>>;
  /**
   * Returns a model whose worker has handlers. The type parameters are those of `serve` in the worker's module.
   * @throws as for a model of tensors
   * @example const reader = await hub.get<ImageBitmap, string>("reader");
   */
  get<Input, Output>(name: string): Promise<BatchedModel<Input, Output>>;
  /**
   * Frees the memory of a model when its batches in flight are answered: for the system, in a group for its other
   * models first. Does nothing if it is not in memory.
   * @throws INVALID_OPTION for a name that is not registered; DISPOSED.
   */
  unload(name: string): Promise<void>;
  /** Lists the models in the order of their registration. */
  models(): HubModel[];
  /** Returns whether the hub and its models can answer. */
  health(): HubHealth;
  /** Returns a snapshot of the statistics. */
  stats(): HubStats;
  /**
   * Disposes of all models, and ends loads in progress. Open and later calls and requests reject with `DISPOSED`. Safe
   * to call more than once.
   */
  dispose(): Promise<void>;
}

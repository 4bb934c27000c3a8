import type { PipelineStats } from "../runs/pipeline-stats.js";
import type { Source } from "@framebatch/batcher/calls/source-reader.js";
import type { DeviceTensor, TensorLike } from "@framebatch/rows/tensor/tensor.js";
import type { Disposing } from "@framebatch/host/disposing.js";
import type { ModelPredictOptions, PredictOptions } from "@framebatch/batcher/options/options.js";

/** What a pipeline passes to its stages with each part. `batched` functions and models take it as their options. */
export interface StageCallOptions extends Omit<PredictOptions, "key"> {
  /**
   * Aborts when the run that the part belongs to ends early. Where the browser has `TaskSignal`, it is one, and its
   * priority is that of the run.
   */
  readonly signal: AbortSignal;
  /** The time that is left of the run's `timeoutMs`, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * What can be a stage: a model, another pipeline, or a function of one item, such as one that `batched` made. A
 * function gets the item as it is, and returns a result or a promise of one.
 */
export type PipelineStage<In, Out> =
  | { readonly predict: (item: In, options: StageCallOptions & Pick<ModelPredictOptions, "transfer">) => Promise<Out> }
  | { readonly run: (item: In, options: StageCallOptions) => Promise<Out> }
  | ((item: In, options: StageCallOptions) => Out | PromiseLike<Out>);

/** Options of one step of a pipeline. */
export interface StepOptions {
  /**
   * The name of the step in errors, statistics and the performance panel.
   * @default its kind and its index, such as "stage 2", because builds shorten the names of functions
   */
  readonly name?: string;
}

/** Options of a stage. */
export interface StageOptions extends StepOptions {
  /**
   * Moves what can be transferred in each part to the stage's model, such as bitmaps and buffers, instead of copying
   * it. See the option `transfer` of `predict`. Only for a stage that is a model.
   * @default false
   */
  readonly transfer?: boolean;
  /**
   * Gives each `runStream` a sequence of the stage's model, in which its items are the steps: see
   * `BatchedModel.sequence`. It ends with the stream. Items of `run`, and the parts of a split, start from the initial
   * state. Only for a stage that is a model with sequences; not with `transfer`.
   * @default false
   * @example const words = createPipeline<Float32Array>().stage(mel, { sequence: true }).stage(embedding, { sequence:
   * true });
   */
  readonly sequence?: boolean;
}

/** Options of a stage whose model takes only a part of each value, and whose result keeps the rest. */
export interface ContextOptions<Value, Item, Result, Next> extends StageOptions {
  /**
   * Returns what the stage takes of a value. Called once for each value, when the stage has room for it; what it throws
   * fails the value's item. Not async, so that it delays nothing: make what takes time in a stage of its own.
   * @default the value itself
   * @example const found = createPipeline<{ bitmap: ImageBitmap }>().stage(detector, { toItem: ({ bitmap }) => bitmap
   * });
   */
  readonly toItem?: (value: Value) => Item;
  /**
   * Returns what the next step gets, from the stage's result and the value that came, or a promise of it. With
   * `transfer: true`, the buffers and bitmaps that the stage has taken are detached in the value. What it throws fails
   * the value's item.
   * @default the stage's result
   * @example
   * ```ts
   * const found = createPipeline<{ name: string; bitmap: ImageBitmap }>().stage(detector, {
   *   toItem: ({ bitmap }) => bitmap,
   *   toResult: (boxes, { name }) => ({ name, boxes }),
   * });
   * ```
   */
  readonly toResult?: (result: Result, value: Value) => Next | PromiseLike<Next>;
}

/** `ContextOptions` with what the stage takes of a value. */
export interface ItemOptions<Value, Item, Result, Next> extends ContextOptions<Value, Item, Result, Next> {
  /** See `ContextOptions.toItem`. */
  readonly toItem: (value: Value) => Item;
}

/** `ContextOptions` of a stage that takes the values themselves. */
export interface ResultOptions<Value, Result, Next> extends ContextOptions<Value, Value, Result, Next> {
  /** Not set: the stage takes the value itself. */
  readonly toItem?: never;
  /** Not set: see `LinkOptions`. */
  readonly inputs?: never;
}

/** The inputs of a model by name, of an item that may also be a tensor alone. */
type InputsOf<Item> = Item extends TensorLike | DeviceTensor ? never : Item;

/** Options of a stage that reads outputs of the stage before. */
export interface LinkOptions<Value, Item> extends StepOptions {
  /**
   * The outputs of the stage before, by the inputs of this one that they become. If both stages are models of tensors
   * of one group, these tensors stay where they were computed, and no other outputs are computed for the page: on
   * WebGPU in buffers of the GPU, on WebAssembly in the memory of the worker. In any other case, the tensors pass
   * through the page; the answers are the same. If the worker is lost, the stage before computes its outputs again. A
   * link checks the names, types and dims of two models of a group at once, and otherwise with each item.
   * @example
   * ```ts
   * const group = createModelGroup();
   * const mel = await createBatchedModel("/models/mel.onnx", { group });
   * const words = await createBatchedModel("/models/words.onnx", { group });
   * const listen = createPipeline<Float32Array>().stage(mel).stage(words, { inputs: { frames: "output" } });
   * ```
   */
  readonly inputs: { readonly [Input in keyof InputsOf<Item>]: keyof Value & string };
}

/** The pipeline that `collect` returns to, as a function from the type of its items to its own type. */
export interface Level {
  readonly item: unknown;
  readonly pipeline: unknown;
}

/** The pipeline of a level with items of the given type. */
export type AtLevel<L extends Level, Item> = (L & { readonly item: Item })["pipeline"];

/** The level of the runs themselves. */
export interface TopLevel<In> extends Level {
  readonly pipeline: Pipeline<In, this["item"]>;
}

/** The level of the parts of a split. */
export interface PartLevel<Outer extends Level> extends Level {
  readonly pipeline: SplitPipeline<this["item"], Outer>;
}

/**
 * A path from an item to a result through models and functions. `createPipeline` makes it. A pipeline never changes:
 * each method returns a new one, so the start of a path can be shared. Each pipeline has its own runs and statistics.
 */
export interface Pipeline<In, Out> extends Disposing {
  /**
   * Adds a stage. Its calls share batches with those of other items, and of anything else that uses the stage.
   * `toResult` puts the stage's result together with what came.
   * @throws INVALID_OPTION when `stage` is none, or an option has a wrong name or value.
   * @example const scored = createPipeline<string>().stage(embed, { toResult: (vector, text) => ({ text, vector }) });
   */
  stage<Result, Next = Result>(
    stage: PipelineStage<Out, Result>,
    options?: ResultOptions<Out, NoInfer<Result>, Next>,
  ): Pipeline<In, Next>;
  /**
   * Adds a stage that does not take the values themselves: `toItem` returns what it gets of each, or `inputs` names the
   * outputs of the stage before that it reads, which stay where they are if both are models of one group.
   * @throws INVALID_OPTION when `stage` is none, or an option has a wrong name or value: also when a name is none of
   * the models of a group, or an output does not fit its input.
   * @example
   * ```ts
   * const found = createPipeline<{ name: string; bitmap: ImageBitmap }>().stage(detector, {
   *   toItem: ({ bitmap }) => bitmap,
   *   toResult: (boxes, { name }) => ({ name, boxes }),
   * });
   * const listen = createPipeline<Float32Array>().stage(mel).stage(words, { inputs: { frames: "output" } });
   * ```
   */
  // The last overload, because the compiler reports a mistake against it alone, and it has every option.
  stage<Item, Result, Next = Result>(
    stage: PipelineStage<Item, Result>,
    options: ItemOptions<Out, NoInfer<Item>, NoInfer<Result>, Next> | LinkOptions<Out, Item>,
  ): Pipeline<In, Next>;
  /**
   * Turns each item into parts, which continue independently until `collect`. In a stream, parts are taken from a
   * generator only as fast as the stages work; a generator that has not ended is closed when the run ends.
   * @throws INVALID_OPTION when `split` is not a function, or an option has a wrong name or value.
   * @example const ocr = boxes.split((found) => found.map(cut)).stage(reader).collect((lines) => lines.join("\n"));
   */
  split<Part>(
    split: (item: Out) => Source<Part> | PromiseLike<Source<Part>>,
    options?: StepOptions,
  ): SplitPipeline<Part, TopLevel<In>>;
  /**
   * Runs one item. The item is passed to the first stage before the call returns, and is not copied: a model copies it
   * then, a function gets it as it is. `signal`, `priority` and `timeoutMs` apply to the whole path, and each stage
   * gets the time that is left. A newer run with the same `key` supersedes this one wherever it is.
   * @throws the error of the stage that failed, with its code and with `details.stage` (the index) and
   * `details.stageName`; `cause` is the original error. STAGE_FAILED when a function throws anything but a
   * `FramebatchError`; INVALID_OPTION; TIMED_OUT after `timeoutMs`; SUPERSEDED; DISPOSED; `signal.reason` on an abort.
   * @example const text = await ocr.run(image, { signal, timeoutMs: 5000 });
   */
  run(item: In, options?: PredictOptions): Promise<Out>;
  /**
   * Runs the items of a source and yields their results in order. Each stage has at most two batches of its best size
   * in work (at least 8 parts), waits with their results until the next stage takes them, and holds back the stages
   * before it and the source. A stage that rejects with OVERLOADED is asked again, unless its `maxLatencyMs` is too
   * short even for one part alone. At most as many items as all stages can have in work, and one more, are pulled and
   * not yet yielded. The error of an item is thrown at its turn. An abort, a `break` and `dispose` end the stream at
   * once.
   * @throws as `run`; INVALID_OPTION when `options` has a `key`; the error of the source itself, unchanged.
   * @example for await (const text of ocr.runStream(images)) show(text);
   */
  runStream(
    source: Iterable<In> | AsyncIterable<In>,
    options?: Omit<PredictOptions, "key">,
  ): AsyncGenerator<Out, void, undefined>;
  /** Returns a snapshot of the statistics since the pipeline was created, or since the last `resetStats`. */
  stats(): PipelineStats;
  /** Starts the statistics again from zero. Open runs and parts count as accepted in the new statistics. */
  resetStats(): void;
  /**
   * Ends the pipeline: open and later runs reject with `DISPOSED`. Its models and functions belong to the caller and
   * are not disposed. Safe to call more than once.
   */
  dispose(): Promise<void>;
}

/** A pipeline after `split`, until `collect`. Its methods work as those of `Pipeline`, on the parts. */
export interface SplitPipeline<Part, Outer extends Level> {
  /** Adds a stage for each part. @throws as `Pipeline.stage`. */
  stage<Result, Next = Result>(
    stage: PipelineStage<Part, Result>,
    options?: ResultOptions<Part, NoInfer<Result>, Next>,
  ): SplitPipeline<Next, Outer>;
  /** Adds a stage that does not take the parts themselves. @throws as `Pipeline.stage`. */
  stage<Item, Result, Next = Result>(
    stage: PipelineStage<Item, Result>,
    options: ItemOptions<Part, NoInfer<Item>, NoInfer<Result>, Next> | LinkOptions<Part, Item>,
  ): SplitPipeline<Next, Outer>;
  /** Turns each part into parts of its own. @throws as `Pipeline.split`. */
  split<Inner>(
    split: (part: Part) => Source<Inner> | PromiseLike<Source<Inner>>,
    options?: StepOptions,
  ): SplitPipeline<Inner, PartLevel<Outer>>;
  /**
   * Turns the parts of an item, in the order of the split, into one result. An item without parts gets an empty list.
   * @throws INVALID_OPTION when `collect` is not a function, or an option has a wrong name or value.
   */
  collect<Result>(
    collect: (parts: Part[]) => Result | PromiseLike<Result>,
    options?: StepOptions,
  ): AtLevel<Outer, Result>;
}

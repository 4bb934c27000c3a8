import type { Item, Outputs, TensorInfo } from "@framebatch/rows/tensor/tensor.js";

/** What `load` of an engine gets. */
export interface EngineLoadContext {
  /**
   * Reports how much of the engine's files has arrived: the page's `onProgress` is called with it.
   * @param totalBytes `null` while it is not known
   */
  readonly report: (loadedBytes: number, totalBytes: number | null) => void;
}

/** What `run` of an engine gets besides its items. */
export interface EngineRunContext {
  /** Aborts when no item of the batch needs a result any more: an engine that can stop may stop. */
  readonly signal: AbortSignal;
}

/**
 * Your own engine in the worker, such as a pipeline of transformers.js. All functions may be async; one of
 * them runs at a time. ONNX Runtime is not loaded.
 */
export interface ServedEngine<Input, Output> {
  /**
   * Loads the engine. Called once, before anything else. It may take as long as it needs, as long as it does not block
   * the thread for a minute. What it throws rejects `createBatchedWorker` with `HANDLER_FAILED`.
   * @default nothing to load
   * @example const load = async () => void (pipe = await pipeline("feature-extraction", "bert-tiny"));
   */
  load?(context: EngineLoadContext): unknown;
  /**
   * Computes the results of a batch: one for each item, in the order of the items, of anything that structured cloning
   * can copy. An `Error` in the list rejects only its own item. What the function throws makes the batch run again in
   * parts, until the item that causes it runs alone and rejects with `HANDLER_FAILED`. May get an item again after a
   * worker has died. Bitmaps and frames in the items are closed afterwards, and those in the results are transferred to
   * the page.
   * @example const run = async (texts: readonly string[]) => (await pipe([...texts], { pooling: "mean" })).tolist();
   */
  run(
    items: readonly Input[],
    context: EngineRunContext,
  ): readonly (Output | Error)[] | Promise<readonly (Output | Error)[]>;
  /**
   * Whether a result that was computed in a batch is as good as the one computed alone. Called for each of the samples,
   * if the page asks for it with the option `verify`.
   * @default numbers, alone, in arrays and in objects, may differ by the tolerance of `verify`; all else must be equal
   * @example const agrees = (inBatch: Label, alone: Label) => inBatch.name === alone.name;
   */
  agrees?(inBatch: Output, alone: Output): boolean;
  /**
   * Called before the worker ends, if it can still answer: after `dispose`, `restart` and an error. It has half a
   * second.
   * @default nothing to do
   * @example const dispose = () => pipe.dispose();
   */
  dispose?(): unknown;
}

export type AnyEngine = ServedEngine<unknown, unknown>;

/** What `preprocess` gets besides its item. */
export interface HandlerContext<Memory = undefined> {
  /** The `inputs` and `outputs` of the model, as `model.inputs` and `model.outputs` on the page. */
  readonly signature: { readonly inputs: readonly TensorInfo[]; readonly outputs: readonly TensorInfo[] };
  /** Aborts when the item needs no result any more: its request was aborted, superseded, timed out or disposed of. */
  readonly signal: AbortSignal;
  /**
   * What the handlers remember of the sequence of the item: what `begin` has returned, with the changes of the steps
   * before. What a step changes in it counts for the next one if the step succeeds. An item without a sequence gets a
   * new one.
   */
  readonly sequence: Memory;
}

/** What `postprocess` gets besides the outputs and their item. */
export interface PostprocessContext<Passed = undefined, Memory = undefined> extends HandlerContext<Memory> {
  /** What `preprocess` has passed on with `passOn`. */
  readonly passed: Passed;
}

/** What `choose` gets besides the scores. */
export interface ChoiceContext {
  /** The tokens of the text so far: the prompt, then those that were chosen. A copy. */
  readonly tokens: readonly number[];
  /** Number of `tokens` that are the prompt. */
  readonly promptLength: number;
  /** Number of tokens that were chosen before: 0 for the first one. */
  readonly position: number;
}

/**
 * The user's functions that run in the worker, next to the model. `preprocess` and `postprocess` may be async. An error
 * that one of them throws rejects only the request of its item, with `HANDLER_FAILED`. A model that generates texts has
 * `choose` alone, any other model the other ones.
 */
export interface Handlers<Input = Item, Output = Outputs, Passed = undefined, Memory = undefined> {
  /**
   * Returns what the handlers remember at the start of a sequence (`model.sequence()`), such as ring buffers: anything
   * that structured cloning can copy. `preprocess` and `postprocess` get it as `sequence` and change it. It is copied
   * before each step, so that a step that fails or is aborted leaves no trace: keep it small. Not async.
   * @default nothing
   * @example const begin = () => ({ samples: new Float32Array(1520) });
   */
  begin?(): Memory;
  /**
   * Turns an item into its tensors, without the batch axis. The tensors are copied when the function returns, so it may
   * reuse its arrays, unless it is async: then several items are in it at a time. It may close bitmaps that
   * `postprocess` does not need. Runs when the item arrives, as far as the worker has time. May run again for the same
   * item after a worker has died. Returns `passOn(tensors, value)` to pass a value to `postprocess`.
   * @default the item itself, which must then be tensors
   */
  preprocess?(item: Input, context: HandlerContext<Memory>): Prepared<Passed> | Promise<Prepared<Passed>>;
  /**
   * Turns the outputs of an item into its result: anything that structured cloning can copy. The outputs belong to the
   * function: they are the item's own row, without padding. Bitmaps and frames in the item are closed afterwards, and
   * those in the result are transferred to the page, so that each can be in one result only. Those that `preprocess`
   * has closed are `null` in an item that had to move to another worker in between.
   * @default the outputs themselves
   */
  postprocess?(outputs: Outputs, item: Input, context: PostprocessContext<Passed, Memory>): Output | Promise<Output>;
  /**
   * Takes part in the choice of each token of a model with the option `generate`: for a grammar, for tokens that are
   * not allowed, or for a rule of your own. Either changes `scores` in place (`-Infinity` rules a token out) and
   * returns nothing: the choice that the text asks for follows, by `repetitionPenalty` and `sample`. Or returns the
   * token itself, a whole number from 0, below `scores.length`. An error that it throws, another result, and scores
   * none of which is a number above `-Infinity` reject this text, with `HANDLER_FAILED`, and no other one. Not async:
   * what it needs must be there before `serve` is called. It must depend on its arguments alone, because the same token
   * is chosen again, with the same arguments, after a worker has died.
   * @param scores of each token of the vocabulary, as the model gives them. A copy
   * @default the choice that the text asks for
   * @example
   * ```ts
   * import { serve } from "framebatch/worker";
   *
   * const NEVER = [13, 198];
   *
   * serve({
   *   choose(scores) {
   *     for (const token of NEVER) scores[token] = -Infinity;
   *   },
   * });
   * ```
   */
  choose?(scores: Float32Array, context: ChoiceContext): number | void;
}

/** What `preprocess` returns: tensors, with the value that it passes on, if it passes one. */
export type Prepared<Passed> = Passing<Passed> | (undefined extends Passed ? Item : never);

export type AnyHandlers = Handlers<unknown, unknown, unknown, unknown>;

/** Tensors of an item, and a value for `postprocess`. `passOn` makes it. */
export class Passing<Passed> {
  /** The tensors of the item. */
  readonly inputs: Item;
  /** What `postprocess` gets. */
  readonly passed: Passed;

  /** Use `passOn`. */
  constructor(inputs: Item, passed: Passed) {
    this.inputs = inputs;
    this.passed = passed;
  }
}

/**
 * Returns what `preprocess` returns to pass a value on to `postprocess`: the geometry of an image, tokens, anything
 * that it has computed on the way. The value is neither copied nor sent: it stays in the worker until the item is
 * answered. An item that has to move to another worker is preprocessed again there, so do not close its bitmaps in
 * `preprocess`.
 * @param inputs the tensors of the item, as `preprocess` returns them otherwise
 * @param passed anything
 * @example
 * ```ts
 * import type { OutputsOf } from "framebatch";
 * import { boxesToImage, imageToTensor, type Box, type ImageGeometry } from "framebatch/handlers";
 * import { passOn, serve } from "framebatch/worker";
 *
 * interface Detector {
 *   inputs: { x: Float32Array };
 *   outputs: { box: Float32Array };
 * }
 *
 * serve<ImageBitmap, Box[], ImageGeometry>({
 *   preprocess(image) {
 *     const x = imageToTensor(image, { width: 640, height: 640, fit: "contain" });
 *     return passOn({ x }, x.geometry);
 *   },
 *   postprocess({ box }: OutputsOf<Detector>, image, { passed }) {
 *     const [x = 0, y = 0, width = 0, height = 0] = box.data;
 *     return boxesToImage([{ x, y, width, height }], passed);
 *   },
 * });
 * ```
 */
export function passOn<Passed>(inputs: Item, passed: Passed): Passing<Passed> {
  return new Passing(inputs, passed);
}

/** An array of numbers. */
type Numbers = Float32Array | Float64Array | Int32Array | Int16Array | Int8Array | Uint8Array;

/**
 * Moves what a window of a stream holds towards its start, and puts new numbers at its end, so that it always holds the
 * newest. For what handlers remember of a sequence: samples, frames, embeddings.
 *
 * @param window changed in place
 * @param added the new numbers, no part of the window. Of more than the window holds, the last ones stay.
 * @returns the window
 * @example
 * ```ts
 * // mel.worker.ts
 * import { serve, slide } from "framebatch/worker";
 *
 * serve.model("mel", {
 *   begin: () => ({ samples: new Float32Array(1520) }),
 *   preprocess: (heard: Float32Array, { sequence }) => ({ samples: slide(sequence.samples, heard) }),
 * });
 * ```
 */
export function slide<Window extends Numbers>(window: Window, added: Numbers): Window {
  const newest = added.subarray(Math.max(0, added.length - window.length));
  window.copyWithin(0, newest.length);
  window.set(newest, window.length - newest.length);
  return window;
}

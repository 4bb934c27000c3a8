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
   * Loads the engine. Called once, before anything else. It may take as long as it needs, as long as it does not block the
   * thread for a minute. What it throws rejects `createBatchedWorker` with `HANDLER_FAILED`.
   * @default nothing to load
   * @example const load = async () => void (pipe = await pipeline("feature-extraction", "bert-tiny"));
   */
  load?(context: EngineLoadContext): unknown;
  /**
   * Computes the results of a batch: one for each item, in the order of the items, of anything that structured cloning can
   * copy. An `Error` in the list rejects only its own item. What the function throws makes the batch run again in parts,
   * until the item that causes it runs alone and rejects with `HANDLER_FAILED`. May get an item again after a worker has
   * died. Bitmaps and frames in the items are closed afterwards, and those in the results are transferred to the page.
   * @example const run = async (texts: readonly string[]) => (await pipe([...texts], { pooling: "mean" })).tolist();
   */
  run(
    items: readonly Input[],
    context: EngineRunContext,
  ): readonly (Output | Error)[] | Promise<readonly (Output | Error)[]>;
  /**
   * Whether a result that was computed in a batch is as good as the one computed alone. Called for each of the samples, if
   * the page asks for it with the option `verify`.
   * @default numbers, alone, in arrays and in objects, may differ by the tolerance of `verify`; all else must be equal
   * @example const agrees = (inBatch: Label, alone: Label) => inBatch.name === alone.name;
   */
  agrees?(inBatch: Output, alone: Output): boolean;
  /**
   * Called before the worker ends, if it can still answer: after `dispose`, `restart` and an error. It has half a second.
   * @default nothing to do
   * @example const dispose = () => pipe.dispose();
   */
  dispose?(): unknown;
}

export type AnyEngine = ServedEngine<unknown, unknown>;

import type { BatchedModel, HybridModel, ItemOf, ModelTypes, OutputsOf, UnknownModel } from "../options/model.js";
import type { ModelSource, SourceByProvider } from "../options/model-source.js";
import type { HybridModelOptions } from "../../servers/page/hybrid-options.js";
import type { GroupedModel, GroupHandlerModelOptions, ModelGroup } from "../options/model-group.js";
import type { HandlerModelOptions, ModelOptions } from "../options/options.js";
import type {
  ChoosingModelOptions,
  DecoderOptions,
  GeneratingModel,
  GroupChoosingModelOptions,
} from "../options/generation.js";
import { type AnyModel, type AnyModelOptions, openModel } from "./open-model.js";

/**
 * Loads an ONNX model into a Web Worker with the user's own handlers: `preprocess` turns items into tensors there, and
 * `postprocess` turns outputs into results. The type parameters are those of `serve` in the worker's module.
 * @throws as without handlers; WORKER_LOAD_FAILED also when the worker's module does not call `serve`; HANDLER_FAILED
 * when `preprocess` fails for one of `samples`
 * @example
 * ```ts
 * const reader = await createBatchedModel<ImageBitmap, string>("/models/reader.onnx", {
 *   worker: () => new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" }),
 * });
 * const text = await reader.predict(bitmap, { transfer: true });
 * ```
 */
export function createBatchedModel<Input, Output>(
  source: ModelSource | SourceByProvider,
  options: HandlerModelOptions<Input> | GroupHandlerModelOptions<Input>,
): Promise<BatchedModel<Input, Output>>;
/**
 * No call: the compiler quotes the text, if the two types of handlers are given without the worker that has them.
 * @internal
 */
export function createBatchedModel<Input, Output>(
  source: "createBatchedModel<Item, Result> needs the option worker, whose module serves preprocess and postprocess",
): Promise<BatchedModel<Input, Output>>;
/**
 * Opens a model that runs on the device and on a server that speaks the Open Inference Protocol v2. `remote.mode` says
 * which side answers; the other one answers in its place. Resolves when the preferred side can predict, or else the
 * other one. The error of a side that cannot is then reported by the event `error`.
 * @throws as without a server, and as `createRemoteModel`: the error of the preferred side, when neither can predict.
 * `details.otherCode` is the code of the other side
 * @example
 * ```ts
 * const hybrid = await createBatchedModel("/models/digits.onnx", {
 *   remote: { url: "https://inference.example", model: "digits", mode: "prefer-on-device" },
 * });
 * const { outputs, origin } = await hybrid.predictDetailed({ image: pixels });
 * ```
 */
export function createBatchedModel<Model extends ModelTypes<Model> = UnknownModel>(
  source: ModelSource | SourceByProvider,
  options: HybridModelOptions<ItemOf<Model>>,
): Promise<HybridModel<ItemOf<Model>, OutputsOf<Model>>>;
/**
 * Loads a decoder with caches, which generates texts: `generate` takes the tokens of a prompt and returns those that
 * follow. Texts that run at the same time share steps. With the option `worker`, a module of yours takes part in the
 * choice of tokens: it calls `serve` with `choose`.
 * @throws as without `generate`; INVALID_OPTION also when the file does not tell what an input is for, or the worker's
 * module has other handlers
 * @example
 * ```ts
 * import { createBatchedModel } from "framebatch";
 *
 * const lm = await createBatchedModel("/models/decoder.onnx", { generate: true });
 * for await (const token of lm.generate({ input_ids }, { maxNewTokens: 64 })) show(token);
 * ```
 */
export function createBatchedModel<Model extends ModelTypes<Model> = UnknownModel>(
  source: ModelSource | SourceByProvider,
  options:
    | (ModelOptions<ItemOf<Model>> & { readonly generate: true | DecoderOptions })
    | ChoosingModelOptions<ItemOf<Model>>
    | GroupChoosingModelOptions<ItemOf<Model>>,
): Promise<GeneratingModel<ItemOf<Model>, OutputsOf<Model>>>;
/**
 * Loads an ONNX model into the worker of a group. Its outputs can stay there for other models of the group: see
 * `GroupedModel.predict`, and `inputs` of a stage of a pipeline.
 * @throws as without a group; DISPOSED when the group is disposed of
 * @example
 * ```ts
 * const group = createModelGroup();
 * const embedding = await createBatchedModel("/models/embedding.onnx", { group });
 * const { features } = await embedding.predict({ audio }, { keepOnDevice: ["features"] });
 * features.dispose();
 * ```
 */
export function createBatchedModel<Model extends ModelTypes<Model> = UnknownModel>(
  source: ModelSource | SourceByProvider,
  options: ModelOptions<ItemOf<Model>> & { readonly group: ModelGroup },
): Promise<GroupedModel<ItemOf<Model>, OutputsOf<Model>>>;
/**
 * Loads an ONNX model into a Web Worker. Resolves when the model can predict. Most of framebatch's code for the page is
 * fetched with the first model.
 * @param source address of the model, resolved against the page (in a dedicated worker, against its script), or the
 * bytes, which are copied before the call returns
 * @throws INVALID_OPTION when an option has a wrong name or value; a code that starts with MODEL_ when the model cannot
 * be downloaded or is not valid; WORKER_LOAD_FAILED or RUNTIME_LOAD_FAILED when framebatch's or ONNX Runtime's own
 * files cannot be loaded; UNSUPPORTED when no execution provider works, or outside a page or dedicated worker;
 * OUT_OF_MEMORY when not even one item fits in memory; BATCH_UNSAFE when rows mix in a model whose batch is fixed at
 * several rows; WORKER_CRASHED, WORKER_HUNG or DEVICE_LOST when the worker or GPU device is lost;
 * `options.signal.reason` on an abort.
 * @example
 * ```ts
 * const model = await createBatchedModel("/models/digits.onnx", { maxBatchSize: 32 });
 * const { logits } = await model.predict({ image: pixels });
 * await model.dispose();
 * ```
 */
// The compiler reports a mistake in `remote` against this overload too.
export function createBatchedModel<Model extends ModelTypes<Model> = UnknownModel>(
  source: ModelSource | SourceByProvider,
  options?: ModelOptions<ItemOf<Model>> | HybridModelOptions<ItemOf<Model>>,
): Promise<BatchedModel<ItemOf<Model>, OutputsOf<Model>>>;
export async function createBatchedModel(
  source: ModelSource | SourceByProvider,
  options?: AnyModelOptions,
): Promise<AnyModel> {
  return openModel(() => import("./all-providers.js"), source, options);
}

import type { GroupHandlerModelOptions, ModelGroup } from "./model-group.js";
import type { ChoosingModelOptions, DecoderOptions, GeneratingOptions } from "./generation.js";
import type { ExecutionProvider, ProviderOptions } from "../../transport/providers.js";
import type { ItemShape } from "@framebatch/batcher/queue/shape.js";
import type { PaddingOptions, PaddingSide } from "@framebatch/rows/padding/padding-options.js";
import type { InputRange } from "@framebatch/rows/collate/input-range.js";
import type { Item as ModelItem } from "./model.js";
import type { ModelSource } from "./model-source.js";
import type { TrustedAddress } from "@framebatch/host/page.js";
import type { BatcherOptions, ModelPredictOptions } from "@framebatch/batcher/options/options.js";

export type { ExecutionProvider, InputRange, PaddingOptions, PaddingSide };

/** Options of one prediction some of whose outputs stay on the device. */
export interface KeepingPredictOptions<Name extends PropertyKey = string> extends ModelPredictOptions {
  /**
   * Names of outputs that stay where they are computed: on the GPU, or in the memory of the worker. The result has
   * handles in their place, which other models of the group take as inputs. Dispose of each. Only for a model of
   * tensors of a group, without `recurrent`. An option of the call, not of the model: the caller that asks for a handle
   * has to dispose of it, and other callers of the model get arrays.
   * @example
   * ```ts
   * const { features } = await embedding.predict({ audio }, { keepOnDevice: ["features"] });
   * const [word, speaker] = await Promise.all([words.predict({ features }), speakers.predict({ features })]);
   * features.dispose();
   * ```
   */
  readonly keepOnDevice: readonly Name[];
}

/** A file of weights that an ONNX model stores outside its own file. */
export interface ExternalDataFile {
  /** Path of the file as the model names it: relative and without `..`, for example `"model.data"`. */
  readonly path: string;
  /** Where the file comes from: its address or its bytes. Bytes are copied. */
  readonly source: ModelSource;
  /** Digest that the file's bytes must have, in the form of `ModelOptions.integrity`. @default none */
  readonly integrity?: string;
}

/** Progress of `createBatchedModel`. */
export interface LoadProgress {
  /**
   * The current step:
   * - `download`: bytes arrive from the network.
   * - `cache`: the bytes come from the cache.
   * - `runtime`: the model is there, and ONNX Runtime's own WebAssembly still arrives, from the network or from the
   *   browser's cache. It starts to load together with the model, so this phase is left out if it arrives first.
   * - `compile`: the session is being created.
   * - `warmup`: the first runs are made.
   * - `ready`: the model can predict.
   */
  readonly phase: "download" | "cache" | "runtime" | "compile" | "warmup" | "ready";
  /**
   * Bytes loaded of all files of the model together. Each file counts once, whatever `instances` is. The number only
   * grows, except that a download that restarts after a failure counts from 0 again.
   */
  readonly loadedBytes: number;
  /**
   * Bytes of all files of the model together; `null` while the length of a file is unknown, as for a compressed
   * response.
   */
  readonly totalBytes: number | null;
  /** How much of ONNX Runtime's WebAssembly has arrived. Only in the phase `runtime`. */
  readonly runtime?: {
    /** Bytes so far, after decompression by the browser. */
    readonly loadedBytes: number;
    /**
     * The size of the file, also on compressed responses; `null` if `wasmPaths` names a larger file than framebatch's.
     */
    readonly totalBytes: number | null;
  };
}

/** How far the answers of two providers, or of two ways to run a model, may be apart, see `ModelOptions.agreement`. */
export interface AgreementOptions {
  /**
   * Maximum difference as a share of the element, or of the mean magnitude of its output: a number from 0.
   * @default 0.001; 0.02 for outputs in half precision; between two providers 0.05 for a model that computes in half
   *   precision or with quantised numbers
   * @example await createBatchedModel(url, { agreement: { relative: 0.05 } });
   */
  readonly relative?: number;
  /**
   * Maximum difference, whatever the element: a number from 0.
   * @default 1e-6; 0.008 for half precision, and between two providers for a model that computes as above
   * @example await createBatchedModel(url, { agreement: { absolute: 0.01 } });
   */
  readonly absolute?: number;
}

/** One value for each execution provider, for a model that has a file for each. */
export type ByProvider<Value> = Readonly<Partial<Record<ExecutionProvider, Value>>>;

/** Options of `createBatchedModel` for a model of tensors. */
export interface ModelOptions<Input = ModelItem> extends BatcherOptions {
  /**
   * How to run: `"auto"`, or the execution providers to try, in order: at least one of `"webgpu"`, `"webnn"` and
   * `"wasm"`, each at most once. A trial run decides whether a provider works. `"auto"` tries WebGPU if the browser
   * offers a GPU adapter that is not a software one, and then WASM. It also measures the other ways to run the model,
   * and starts on the fastest one at the next visit. A list is tried as it is.
   * @default "auto"
   * @example await createBatchedModel(url, { executionProviders: ["wasm"] });
   */
  readonly executionProviders?: "auto" | readonly ExecutionProvider[];
  /**
   * Options of ONNX Runtime by execution provider. Those of a provider that is not tried have no effect.
   * @default {}
   * @example await createBatchedModel(url, { providerOptions: { webgpu: { storageBufferCacheMode: "simple" } } });
   */
  readonly providerOptions?: ProviderOptions;
  /**
   * How far the answers of two ways to run the model may be apart, when `executionProviders: "auto"` compares them. An
   * element of an output may differ by `relative` times itself or the mean magnitude of the output, or by `absolute`,
   * whichever is most. Both are numbers from 0. Outputs that are not floating-point must be equal. A way whose answers
   * differ by more is not used.
   * @default { relative: 0.001, absolute: 1e-6 }; { relative: 0.02, absolute: 0.008 } for half precision
   * @example
   * ```ts
   * const source = { webgpu: "/model.fp16.onnx", wasm: "/model.int8.onnx" };
   * const model = await createBatchedModel(source, { agreement: { relative: 0.05 } });
   * ```
   */
  readonly agreement?: AgreementOptions;
  /**
   * Batch axis by input or output name: an axis counted from 0, or `null`. An input with `null` is shared by the whole
   * batch; every item gets the whole of an output with `null`, and batches are used only if no item changes it.
   * @default from the model's metadata, its graph and its first runs; none for an input whose only dynamic dimension is
   * an inner one without a name, which may be the batch: the load rejects with `INVALID_OPTION`
   * @example await createBatchedModel(url, { batchAxis: { state: 1, rate: null } });
   */
  readonly batchAxis?: Readonly<Record<string, number | null>>;
  /**
   * The states of a model, for streams: for each input that holds state, the output that is its next value. Items and
   * outputs have neither. The state stays in the worker: `model.sequence()` starts a stream from zeros, and `predict`
   * starts from zeros each time. A state has a batch axis, which may be any, and fixed sizes otherwise. Cannot be
   * combined with `remote`, `shared`, `instances`, `dedupe` and `resultCacheSize`.
   * @default none
   * @example await createBatchedModel("/vad.onnx", { recurrent: { state: "stateN" }, batchAxis: { state: 1, stateN: 1 }
   * });
   */
  readonly recurrent?: Readonly<Record<string, string>>;
  /**
   * Lets the model generate texts: `model.generate()`, see `GeneratingModel`. The file is a decoder with caches: `true`
   * reads from its names what each input and output is for, an object tells what they do not. Cannot be combined with
   * `recurrent`, `remote`, `shared`, `instances`, `outputs`, `samples` and `shapeOf`. With `worker`, the module of that
   * worker takes part in the choice of tokens, see `ChoosingModelOptions`.
   * @default false
   * @example const lm = await createBatchedModel("/decoder.onnx", { generate: true });
   */
  readonly generate?: boolean | DecoderOptions;
  /**
   * Names of the outputs to return: one or more. The others are not read back, which saves their copies, and not
   * checked. A file with an output that is no tensor (a sequence, a map or an optional) loads if that is left out.
   * States of `recurrent` stay. Cannot be combined with `remote`.
   * @default all outputs
   * @example await createBatchedModel("/forest.onnx", { outputs: ["label"] });
   */
  readonly outputs?: readonly string[];
  /**
   * Padding by input name: makes items of different sizes equal, so that they can share a batch. `{}` pads on the right
   * with zeros. Some models answer a padded item differently.
   * @default items of different sizes do not share a batch
   * @example await createBatchedModel(url, { padding: { ids: { value: 0, mask: "attention_mask" } } });
   */
  readonly padding?: Readonly<Record<string, PaddingOptions>>;
  /**
   * Runs batches of one, two and eight items before the model is ready, because some faults of a backend appear only
   * then and because the batcher needs a first estimate of run times. The items are zeros, or the first of `samples`.
   * The runs after the first take about 150 ms at most. With `false`, only a provider that may reject a model at its
   * first run (WebGPU, WebNN) makes one run.
   * @default true
   * @example await createBatchedModel(url, { warmup: false });
   */
  readonly warmup?: boolean;
  /**
   * What to do with a model whose batch dimension is fixed at 1. `"auto"` rewrites it to take larger batches, and uses
   * the rewritten model if it passes the check of `verify`. `"off"` runs it item by item.
   * @default "auto"
   * @example await createBatchedModel(url, { rebatch: "off" });
   */
  readonly rebatch?: "auto" | "off";
  /**
   * Checks that a batch gives the same answers as its items alone, whatever else the batch holds and with or without
   * padding. Until the check passes, the model runs item by item. The items are `samples`, or generated ones.
   *
   * The load waits for the check for at most `budgetMs` (0 or more), and not at all if it is predicted to take longer.
   * The rest runs after that, in turns with requests: a check that is cut short has not passed. If generated items are
   * inconclusive, the first real items are compared. If the answers differ, the next execution provider is tried, and
   * if none passes, the model runs item by item. The outcome is stored with the cached model, for the same samples and
   * batch sizes.
   *
   * With `providers`, answers of a GPU are compared with those of WASM: some items of the first requests, and then the
   * first item of each doubling of a size, in the background and after they were answered. If one differs by more than
   * `agreement` allows, the model leaves the GPU with the events `error` (`PROVIDER_WRONG`) and `providerchange`, and
   * later visits start without it. Where there is no other provider, it stays. `stats().providerCheck` has the outcome.
   *
   * `true` means the default; `false` trusts batches and providers without a check.
   * @default { budgetMs: 250, providers: true }
   * @example await createBatchedModel(url, { verify: { budgetMs: 1000 } });
   */
  readonly verify?: boolean | { readonly budgetMs?: number; readonly providers?: boolean };
  /**
   * Real example items, in the form that `predict` takes, used in place of guessed sizes and generated contents. The
   * first one is run to try each provider, the warm-up uses their sizes, and the check of `verify` compares those that
   * may share a batch. They are copied at the call. Two to four items of typical sizes work best.
   * @default none: sizes are guessed and contents are generated
   * @example await createBatchedModel(url, { samples: [{ audio: { data: speech, dims: [1, 16000] } }] });
   */
  readonly samples?: readonly Input[];
  /**
   * Ranges of valid elements by input name; `"finite"` rejects NaN and infinities in every floating-point input. An
   * item with another element rejects with `INVALID_INPUT` at the call.
   * @default no check
   * @example await createBatchedModel(url, { validate: { ids: { min: 0, max: 30521 } } });
   */
  readonly validate?: "finite" | Readonly<Record<string, InputRange>>;
  /**
   * Files of weights that belong to the model; of a model with a file for each provider, also one list for each. Each
   * file is fetched, checked and cached like the model. A file to which the model refers and that is not listed is
   * fetched from the folder of the model, if the model has an address and no `integrity`. A browser with JavaScript
   * Promise Integration reads them piece by piece; any other holds them whole in memory while the model loads, and
   * therefore refuses a file above 2 GiB with `MODEL_TOO_LARGE`.
   * @default none
   * @example await createBatchedModel(url, { externalData: [{ path: "model.data", source: "/model.data" }] });
   */
  readonly externalData?: readonly ExternalDataFile[] | ByProvider<readonly ExternalDataFile[]>;
  /**
   * Maximum size of the model's file, and of each external file, in bytes after decompression: an integer from 1. A
   * larger file rejects the load with `MODEL_TOO_LARGE`.
   * @default 2147483648
   * @example await createBatchedModel(url, { maxModelBytes: 50e6 });
   */
  readonly maxModelBytes?: number;
  /**
   * Time without an answer after which a run counts as hung, in milliseconds: an integer from 100 to 3,600,000. The
   * worker is then terminated and replaced, and its requests in flight run again.
   * @default 20 times the predicted time, at least 10000; 60000 while no time can be predicted
   * @example await createBatchedModel(url, { runTimeoutMs: 30_000 });
   */
  readonly runTimeoutMs?: number;
  /**
   * Stores the model and what is learned about it in IndexedDB. With `false`, a lost worker can be replaced only while
   * the server still has the same bytes: they are downloaded again and checked by digest.
   * @default true; no effect for a model given as bytes
   * @example await createBatchedModel(url, { cache: false });
   */
  readonly cache?: boolean;
  /**
   * Digest that the model's bytes must have, as in HTML: `sha256-…`, `sha384-…` or `sha512-…` in base64. Other bytes
   * reject the load with `MODEL_INTEGRITY`. Also what `listCachedModels` returns. For a model with a file for each
   * provider, an object with the digest of each.
   * @default none
   * @example await createBatchedModel(url, { integrity: `sha384-${digest}` });
   */
  readonly integrity?: string | ByProvider<string>;
  /**
   * Options for ONNX Runtime's `InferenceSession.create`: plain data that structured cloning can copy. Not among them
   * are `executionProviders`, which are options of their own, `enableGraphCapture` and `preferredOutputLocation`.
   * @default {}
   * @example await createBatchedModel(url, { sessionOptions: { graphOptimizationLevel: "basic" } });
   */
  readonly sessionOptions?: Readonly<Record<string, unknown>>;
  /**
   * Location of ONNX Runtime's `.wasm` files: a URL that ends with `/`, or a URL for each file name. Relative URLs are
   * resolved against the page; in a worker, against its script.
   * @default where the bundler has put them; without a bundler, beside the script
   * @example await createBatchedModel(url, { wasmPaths: "/onnxruntime/" });
   */
  readonly wasmPaths?: string | URL | Readonly<Record<string, string>>;
  /**
   * URL of the worker's script `framebatch.worker.js`, beside which are ONNX Runtime's files. For applications that
   * place them themselves, with `npx framebatch copy`. A `TrustedScriptURL` works too. Relative URLs are resolved as
   * for `wasmPaths`.
   * @default where the bundler has put it; without a bundler, beside the script
   * @example await createBatchedModel(url, { workerUrl: "/framebatch/framebatch.worker.js" });
   */
  readonly workerUrl?: string | URL | TrustedAddress;
  /**
   * Only for a worker with handlers, see `HandlerModelOptions`. No value is allowed here: the type is a text, which
   * TypeScript quotes if `worker` is set beside options that it excludes.
   */
  readonly worker?: "a worker with handlers takes HandlerModelOptions: no dedupe, resultCacheSize, validate or shared; its types are <Item, Result>";
  /** Only for a model that is also on a server, see `HybridModelOptions`. */
  readonly remote?: undefined;
  /**
   * Runs the model in the worker of a group, together with other models. Without `shared`, `instances`, `worker` and
   * `remote`. The group has the options `executionProviders`, `numThreads`, `providerOptions`, `wasmPaths` and
   * `workerUrl`.
   * @default a worker of its own
   * @example const mel = await createBatchedModel("/mel.onnx", { group });
   */
  readonly group?: ModelGroup;
  /**
   * Number of threads of the WASM backend: an integer from 1 to 64. More than 1 needs a cross-origin isolated page.
   * @default 1; with `executionProviders: "auto"`, from 1 to 4: what earlier visits have found fastest, and before that
   * 1
   *   for files below 500 kB, and for larger ones the number of processors
   * @example await createBatchedModel(url, { numThreads: crossOriginIsolated ? 4 : 1 });
   */
  readonly numThreads?: number;
  /**
   * Number of workers that run batches in parallel: an integer from 1 to 16. Each one holds its own copy of the model.
   * @default 1
   * @example await createBatchedModel(url, { instances: 2 });
   */
  readonly instances?: number;
  /**
   * Shares one session between all tabs of the origin that create the same model with the same options: one download,
   * one copy in memory, one queue for the device. The session is in a `SharedWorker`. Where that is not possible, the
   * model gets a worker of its own, and `stats().shared.reason` says why. A tab that joins a session gets its model,
   * even if the server has a newer file since. Cannot be combined with `instances` or `worker`.
   * @default false
   * @example await createBatchedModel(url, { shared: true });
   */
  readonly shared?: boolean;
  /**
   * Maximum time without a byte while a file of the model downloads, in milliseconds: an integer from 100 to 3,600,000.
   * The load then rejects with `MODEL_STALLED`. Starting the worker, compiling and warming up do not count: each of
   * them has 60 s, or `runTimeoutMs` if that is longer.
   * @default 30000
   * @example await createBatchedModel(url, { stallTimeoutMs: 10_000 });
   */
  readonly stallTimeoutMs?: number;
  /**
   * Receives the progress of the first load, until the model is ready. An error that it throws is reported as an
   * uncaught error and does not stop the load.
   * @default none
   * @example
   * ```ts
   * const model = await createBatchedModel(url, {
   *   onProgress: ({ phase, loadedBytes, totalBytes }) => console.log(phase, loadedBytes, totalBytes),
   * });
   * ```
   */
  readonly onProgress?: (progress: LoadProgress) => void;
  /**
   * Aborts the load: the promise rejects with `signal.reason`. Has no effect once the model is ready.
   * @default none
   * @example await createBatchedModel(url, { signal: controller.signal });
   */
  readonly signal?: AbortSignal;
}

/** The options of a model that do not apply if its worker has handlers. */
type TensorOption = "worker" | "group" | "validate" | "dedupe" | "resultCacheSize" | "samples" | "shared" | "generate";

/** Options of `createBatchedModel` for a worker with handlers. */
export interface HandlerModelOptions<Input> extends Omit<ModelOptions, TensorOption> {
  /**
   * Starts a worker with a module that imports `serve` from `framebatch/worker` and gives it the handlers. Called for
   * the first worker and for each replacement; must return a new worker each time.
   * @example const worker = () => new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" });
   */
  readonly worker: () => Worker;
  /**
   * Returns the shape of an item before the worker has seen it: which items may share its batch, and how large it is.
   * Extents are numbers from 0. Use it for items of different sizes, so that short and long ones run apart. The worker
   * groups the tensors of a batch by their real dims in any case. If the function throws or returns other extents, the
   * request rejects.
   * @default all items have one shape
   * @example const shapeOf = (line: ImageBitmap) => ({ group: "", extents: [line.width] });
   */
  readonly shapeOf?: (item: Input) => ItemShape;
  /**
   * Real example items, as `preprocess` takes them; otherwise as `ModelOptions.samples`.
   * @default none: sizes are guessed and contents are generated
   * @example await createBatchedModel(url, { worker: startWorker, samples: ["a short text", "a longer one"] });
   */
  readonly samples?: readonly Input[];
  /** A model that generates texts takes `ChoosingModelOptions`. */
  readonly generate?: false;
}

/** The options of a model of tensors, wherever its worker comes from. */
export type TensorOptions = Omit<ModelOptions, "worker" | "remote" | "group">;

/** The options that models with and without handlers share. */
export type LoadOptions = Omit<TensorOptions, "samples"> & {
  readonly samples?: readonly unknown[];
};

type AnyOptions =
  | ModelOptions
  | HandlerModelOptions<unknown>
  | GroupHandlerModelOptions<unknown>
  | GeneratingOptions
  | undefined;

/** Whether options ask for a worker with a module of the user. Their values are not checked yet. */
export function hasWorker(options: AnyOptions): options is HandlerModelOptions<unknown> | ChoosingModelOptions {
  return options?.worker !== undefined;
}

/** Whether options ask for a worker whose module has handlers of items. Their values are not checked yet. */
export function hasHandlers(options: AnyOptions): options is HandlerModelOptions<unknown> {
  return hasWorker(options) && !options.generate;
}

import { type ExecutionProvider, isProvider } from "../../transport/providers.js";
import type { LoadWays } from "../../ways/page/way-watch.js";
import type { LoadSharedMemory } from "../../transport/transport.js";
import type { LoadedModel, ProgressNotice } from "../../transport/protocol.js";
import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PlanChecks } from "@framebatch/rows/collate/input-range.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { Suspects } from "../engine/suspects.js";
import type { ItemKind } from "./item-kind.js";
import type { SharedResults } from "./shared-results.js";
import { callUser } from "@framebatch/host/call-user.js";
import { valueFor } from "../options/files-by-provider.js";
import { FilesByProvider, PinnedFiles } from "../workers/pinned-files.js";
import { absoluteUrl, isUrl } from "@framebatch/batcher/options/option-checks.js";
import { keepSource, type KeptModel, type KeptSource } from "../options/model-source.js";
import type { LoadPlan, Sharing } from "../workers/model-session.js";
import type { LoadOptions, ModelOptions, TensorOptions } from "../options/options.js";
import { createSteadyClock } from "../workers/steady-clock.js";
import { type BuiltInSite, type RuntimeSite, siteAt, withWasmPaths, type WorkerSite } from "../workers/worker-site.js";
import { explainSilence } from "./silent-script.js";

const DEFAULT_STALL_TIMEOUT_MS = 30_000;
/** 2 GiB: a larger model does not fit into 32-bit WebAssembly memory together with other data. */
const DEFAULT_MAX_MODEL_BYTES = 2 ** 31;
const DEFAULT_VERIFY_BUDGET_MS = 250;

/** Where the workers of a model come from. */
export interface WorkerSites {
  /** The worker of this build. */
  readonly site: BuiltInSite;
  /** The user's own worker with handlers; `null` for the worker of this build. */
  readonly served: WorkerSite | null;
  /** Shares sessions with other tabs; `null` if the model does not ask for it. */
  readonly share: ShareSessions | null;
  /** Returns where the worker of the model's group comes from. @default the model is in no group */
  readonly join?: (site: BuiltInSite) => WorkerSite;
  /** Loads the code that compares the ways to run a model. @default the ways are not compared */
  readonly loadWays?: LoadWays;
  /** Loads the code for shared memory. @default all runs are messages */
  readonly loadMemory?: LoadSharedMemory;
  /** Loads the code of sequences, for a model with states. @default it has none */
  readonly loadSequences?: LoadSequences;
}

/** Returns what a model of tensors takes and returns. */
export type ItemsOf = (
  reader: InputReader,
  shared: SharedResults | null,
  options: TensorOptions,
  model: Pick<LoadedModel, "signature">,
) => ItemKind<Item, PreparedItem, Outputs>;

/** Loads the code of shared results. */
type LoadShared = () => Promise<typeof import("./shared-results.js")>;

/** Returns the same kind for a model with states, whose items may be steps of sequences. */
type WithSequences = (
  kind: ReturnType<ItemsOf>,
  reader: InputReader,
  model: Pick<LoadedModel, "signature" | "states">,
  options: Pick<TensorOptions, "allowedBatchSizes">,
) => ReturnType<ItemsOf>;

/** Loads the code of sequences. */
export type LoadSequences = () => Promise<{ readonly withSequences: WithSequences }>;

/** The same for a model of tensors, which has no handlers of items. */
export interface TensorSites extends Omit<WorkerSites, "served"> {
  /** The user's own worker, with a part in the choice of tokens. @default that of this build */
  readonly served?: WorkerSite | null;
  /** @default those that the page gets */
  readonly itemsOf?: ItemsOf;
  /** Loads the code of shared results. @default requests share none */
  readonly loadShared?: LoadShared;
  /** For the option `validate`, whose checks have it. @default the page gives no options */
  readonly planChecks?: PlanChecks | undefined;
  /** Of the model's group. @default the model is in no group */
  readonly suspects?: Suspects;
}

/**
 * Returns what shares the sessions of one model.
 * @param runTimeoutMs the option, in milliseconds; `null` for the default
 */
export type ShareSessions = (site: BuiltInSite, runTimeoutMs: number | null) => Sharing;

/** Receives the events of all loads of a model. */
export interface LoadListener extends Pick<LoadPlan, "onWarning" | "onTimed"> {
  /** Called when a provider that is tried has its files. */
  readonly onArrived: () => void;
}

/** Returns the load plan that all workers of a model share: the options with defaults and absolute addresses. */
export function planLoad(
  model: KeptModel,
  options: LoadOptions,
  maxBatchSize: number,
  sites: WorkerSites,
  { onArrived, ...listener }: LoadListener,
): LoadPlan {
  const { workerUrl } = options;
  const { served, share, join, loadMemory } = sites;
  const site = workerUrl === undefined ? sites.site : siteOf(workerUrl, sites.site);
  const files = filesOf(model, options);
  const cache = options.cache ?? true;
  return {
    files,
    site: join?.(site) ?? served ?? site,
    sharing: share?.(site, options.runTimeoutMs ?? null) ?? null,
    runTimeoutMs: options.runTimeoutMs ?? null,
    clock: createSteadyClock(site),
    loadMemory,
    request: {
      isAutomatic: (options.executionProviders ?? "auto") === "auto",
      maxModelBytes: options.maxModelBytes ?? DEFAULT_MAX_MODEL_BYTES,
      rebatch: options.rebatch !== "off",
      verifyBudgetMs: verifyBudgetOf(options.verify),
      comparesProviders: comparesProviders(options.verify),
      batchAxis: options.batchAxis ?? {},
      ...(options.recurrent !== undefined && { recurrent: options.recurrent }),
      ...(options.outputs !== undefined && { outputs: [...options.outputs] }),
      padding: options.padding ?? {},
      cache,
      comparesWays: cache && files.hasAddress && areComparable(sites),
      integrity: valueFor(options.integrity, null) ?? null,
      signature: null,
      agreement: { ...options.agreement },
      warmup: options.warmup ?? true,
      found: [],
      samples: options.samples ?? [],
      maxBatchSize,
      allowedBatchSizes: options.allowedBatchSizes ?? [],
      sessionOptions: options.sessionOptions ?? {},
      providerOptions: options.providerOptions ?? {},
      runtimes: runtimesOf(site, options.wasmPaths),
      numThreads: options.numThreads ?? (mayChooseThreads(options) ? null : 1),
      served: served === null ? "nothing" : "handlers",
      stallTimeoutMs: options.stallTimeoutMs ?? DEFAULT_STALL_TIMEOUT_MS,
    },
    onProgress: ({ phase, loadedBytes, totalBytes, runtime }: ProgressNotice) => {
      if (phase === "compile") onArrived();
      callUser(options.onProgress, { phase, loadedBytes, totalBytes, ...(runtime && { runtime }) });
    },
    ...listener,
  };
}

/** A worker with handlers would need the items a second time, and a shared one is not this page's to replace. */
function areComparable({ loadWays, served, share, join }: WorkerSites): boolean {
  return loadWays !== undefined && served === null && share === null && join === undefined;
}

function filesOf(model: KeptModel, options: LoadOptions): PinnedFiles | FilesByProvider {
  if (!("byProvider" in model)) return pinnedFiles(model, options, null);
  const own = Object.entries(model.byProvider).flatMap(([provider, source]) => {
    if (!isProvider(provider)) return [];
    const integrity = valueFor(options.integrity, provider) ?? null;
    return [{ provider, integrity, files: pinnedFiles(source, options, provider) }];
  });
  return new FilesByProvider(own);
}

function pinnedFiles(
  source: KeptSource,
  { externalData }: LoadOptions,
  provider: ExecutionProvider | null,
): PinnedFiles {
  const external = valueFor(externalData, provider) ?? [];
  return new PinnedFiles(
    source,
    external.map((file) => ({
      path: file.path,
      source: keepSource(file.source),
      integrity: file.integrity ?? null,
    })),
  );
}

/** A shared worker cannot start threads, and with several workers each has one. */
function mayChooseThreads({ executionProviders = "auto", instances = 1, ...options }: LoadOptions): boolean {
  return executionProviders === "auto" && instances === 1 && !("shared" in options && options.shared);
}

/**
 * Returns the site of the option `workerUrl`. A `blob:` or `data:` address has no folder: ONNX Runtime is then that of
 * this build.
 */
function siteOf(address: NonNullable<ModelOptions["workerUrl"]>, { runtimes }: BuiltInSite): BuiltInSite {
  const isPlain = typeof address === "string" || isUrl(address);
  const url = absoluteUrl(isPlain ? address : address.toJSON(), "workerUrl");
  const fix = "check workerUrl; npx framebatch copy <folder> puts framebatch.worker.js into a folder of your site";
  const site = siteAt(url, {
    fix,
    runtimes: /^(blob|data):/.test(url) ? runtimes : undefined,
    trusted: isPlain ? null : address,
  });
  return { ...site, whyNoAnswer: () => explainSilence(url, fix) };
}

function verifyBudgetOf(verify: ModelOptions["verify"]): number | null {
  if (verify === false) return null;
  const budgetMs = typeof verify === "object" ? verify.budgetMs : undefined;
  return budgetMs ?? DEFAULT_VERIFY_BUDGET_MS;
}

function comparesProviders(verify: ModelOptions["verify"]): boolean {
  return typeof verify === "object" ? verify.providers !== false : verify !== false;
}

function runtimesOf({ runtimes }: BuiltInSite, paths: ModelOptions["wasmPaths"]): RuntimeSite {
  if (paths === undefined) return runtimes;
  if (typeof paths === "string" || isUrl(paths)) return withWasmPaths(runtimes, absoluteUrl(paths, "wasmPaths"));
  return withWasmPaths(
    runtimes,
    Object.fromEntries(Object.entries(paths).map(([file, url]) => [file, absoluteUrl(url, "wasmPaths")])),
  );
}

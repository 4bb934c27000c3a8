import { type ExecutionProvider, isOfWay, type ProviderCheck } from "../../transport/providers.js";
import { decodeError } from "@framebatch/batcher/errors/error-data.js";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type {
  BatchCheck,
  LoadedModel,
  LoadReply,
  LoadRequest,
  ProgressNotice,
  TimedRun,
  Trial,
  Verdict,
} from "../../transport/protocol.js";
import type { LoadSharedMemory } from "../../transport/transport.js";
import { startTimeoutFor } from "@framebatch/host/watchdog.js";
import type { SteadyClock } from "./steady-clock.js";
import type { FileLocations, FilesByProvider, PinnedFiles } from "./pinned-files.js";
import type { SharingStats } from "../options/model.js";
import { WorkerClient } from "./worker-client.js";
import type { WorkerSite } from "./worker-site.js";
import type { WorkerListener } from "./worker-life.js";

/** Everything that loading a model needs. Reused each time a worker is replaced. */
export interface LoadPlan {
  readonly files: PinnedFiles | FilesByProvider;
  readonly site: WorkerSite;
  /** Shares the session with other tabs; `null` if the model does not ask for it. */
  readonly sharing: Sharing | null;
  readonly request: Omit<LoadRequest, "location" | "externalData" | "variants" | "providers">;
  /** The option `runTimeoutMs`, in milliseconds; `null` to derive timeouts from predicted run times. */
  readonly runTimeoutMs: number | null;
  /** Timers of this clock stay on time in a hidden tab. */
  readonly clock: SteadyClock;
  /** Loads the code for shared memory. @default all runs are messages */
  readonly loadMemory?: LoadSharedMemory | undefined;
  readonly onProgress: (progress: ProgressNotice) => void;
  readonly onWarning: (error: Error) => void;
  readonly onTimed: (run: TimedRun) => void;
}

/** Shares the sessions of a model with the same model in other tabs. */
export interface Sharing {
  /**
   * Joins the shared worker that loads this request for every tab. Returns where it is; `null` if this tab needs a
   * worker of its own.
   * @param lost number of shared workers that have ended or fallen silent in this load
   * @throws `signal.reason` on an abort
   */
  siteFor(request: LoadRequest, signal: AbortSignal, lost: number): Promise<WorkerSite | null>;
  stats(): SharingStats;
}

/** A worker that has loaded the model and passed its trial. */
export interface ModelSession {
  readonly client: WorkerClient;
  readonly model: LoadedModel;
  /** Returns the current outcome of the check of batches, which may complete after the model is ready. */
  readonly batchCheck: () => BatchCheck;
  /** Returns what is known now of the answers of its provider. */
  readonly providerCheck: () => ProviderCheck;
  /** Every provider that was tried, in all workers of this load, in order. */
  readonly trials: readonly Trial[];
}

/**
 * Returns the plan for sessions after the first one, for whose signature requests are prepared. `onProgress` reports
 * only the first load, so that progress never goes backwards, and ends.
 */
export function planAfter({ model: { signature } }: Pick<ModelSession, "model">, plan: LoadPlan): LoadPlan {
  return { ...plan, request: { ...plan.request, signature }, onProgress: () => undefined };
}

/** Returns the plan after the death of a worker: a comparison with WASM that has ended one must not end the next. */
export function planAfterDeath({ isComparing }: WorkerClient, plan: LoadPlan): LoadPlan {
  return isComparing ? { ...plan, request: { ...plan.request, comparesProviders: false } } : plan;
}

/** Receives the events of a session. */
export interface SessionListener {
  /** A check that was pending when the model became ready has completed. */
  onChecked(check: BatchCheck): void;
  /** The answers of the provider have been compared with those of WASM. */
  onCompared(check: ProviderCheck): void;
  /** The worker has died. Not called if its owner ended it, or before the session is open. */
  onDeath(error: FramebatchError): void;
}

/** Maximum number of workers with other users that may end in one load before the load counts as the cause. */
const MAX_SHARED_LOSSES = 3;

/** The outcome of loading the model in one worker. */
type Attempt =
  | {
      readonly outcome: "ready";
      readonly client: WorkerClient;
      readonly model: LoadedModel;
      readonly batchCheck: () => BatchCheck;
      readonly providerCheck: () => ProviderCheck;
      readonly trials: readonly Trial[];
    }
  /** `isCheckFatal`: the worker failed during a run of its check of batches. */
  | (Exclude<LoadReply, { readonly outcome: "ready" }> & { readonly isCheckFatal: boolean })
  /** The worker died while it tried a provider. */
  | {
      readonly outcome: "died";
      readonly trials: readonly [Trial];
      readonly error: unknown;
      readonly isCheckFatal: boolean;
      /** Whether other pages use the worker, and may have ended it. */
      readonly isShared: boolean;
    };

/**
 * Loads the model with the first of `providers` that works. When a provider fails in a worker, that worker is
 * terminated and the remaining providers are tried in a new one. If the check of batches ends a worker, the check has
 * failed: the same provider is tried once more, to run item by item.
 *
 * @param found verdicts of earlier sessions of the same model, which are not checked again because requests wait;
 * `null` for the first session
 * @throws `signal.reason` on an abort; otherwise the error of the last provider, with the outcome of the earlier ones
 */
export async function openSession(
  plan: LoadPlan,
  providers: readonly ExecutionProvider[],
  signal: AbortSignal,
  listener: SessionListener,
  found: readonly Verdict[] | null = null,
): Promise<ModelSession> {
  const trials: Trial[] = [];
  // A later session skips the warm-up: the page has measured run times by then.
  let asked = found === null ? plan.request : { ...plan.request, warmup: false };
  const verdicts = [...(found ?? plan.request.found)];
  let left = providers;
  /** Another page may have ended a shared worker: the load is then no evidence against a provider. */
  let lost = 0;
  let known: Extract<LoadReply, { readonly outcome: "spent" }> | null = null;
  /** Whether the first worker found the model in the cache. The first worker passes the bytes on to later ones. */
  let fromCache: boolean | null = null;
  /** What ended a worker during its check of batches. */
  let fatal: unknown = null;
  for (;;) {
    const { location, externalData, variants }: FileLocations = known ?? plan.files.locate();
    const maxBatchSize = known?.maxRows ?? asked.maxBatchSize;
    const request = { ...asked, found: verdicts, maxBatchSize, location, externalData, variants, providers: left };
    const attempt = await tryWorker(trials.length === 0 ? plan : withoutRuntime(plan), request, signal, listener, lost);
    const tried = attempt.trials.at(-1)?.provider;
    // A check that this load asks for no longer is that of another page.
    const isCheckFatal =
      attempt.outcome !== "ready" && attempt.isCheckFatal && !verdicts.some(({ provider }) => provider === tried);
    if (attempt.outcome === "died" && attempt.isShared && !isCheckFatal && lost < MAX_SHARED_LOSSES) {
      lost += 1;
      continue;
    }
    if (await plan.site.mayRepeat?.(attempt)) continue;
    trials.push(...attempt.trials);
    if (attempt.outcome === "ready") {
      const { client, batchCheck, providerCheck, model } = attempt;
      const maxRows = model.maxRows ?? known?.maxRows ?? null;
      return {
        client,
        batchCheck,
        providerCheck,
        trials,
        model: { ...model, fromCache: fromCache ?? model.fromCache, maxRows },
      };
    }
    const error = errorOf(attempt);
    if (isCheckFatal && tried !== undefined) {
      verdicts.push({ provider: tried, batchCheck: fatalCheck() });
      fatal = error;
    }
    const hadThreads = tried === "wasm" && mayHaveThreads(asked) && (error === null || isOfWay(error));
    if (hadThreads) asked = { ...asked, numThreads: 1 };
    const triesAgain = isCheckFatal || hadThreads || (attempt.outcome === "spent" && attempt.maxRows !== null);
    left = tried === undefined ? [] : remainingProviders(left, tried, triesAgain, attempt);
    if (attempt.outcome === "failed" && !triesAgain)
      throw withTrials(isNoFallback(error) ? (fatal ?? error) : error, trials);
    if (left.length === 0) throw withTrials(error, trials);
    known = attempt.outcome === "spent" ? attempt : null;
    const isOtherFile = known !== null && known.variants.length > 0 && left[0] !== tried;
    fromCache = isOtherFile ? null : (fromCache ?? known?.fromCache ?? null);
  }
}

function errorOf(attempt: Exclude<Attempt, { readonly outcome: "ready" }>): unknown {
  if (attempt.outcome === "spent") return null;
  return attempt.outcome === "died" ? attempt.error : decodeError(attempt.error);
}

/**
 * Whether a worker may have chosen several threads. They need memory that a device may lack: one thread may still work.
 */
function mayHaveThreads({ isAutomatic, numThreads }: LoadPlan["request"]): boolean {
  return isAutomatic && numThreads === null && crossOriginIsolated;
}

/**
 * Whether a model cannot run item by item, because its batch is fixed at several rows. A check that ended its worker
 * has then shown nothing about its rows: the model fails, or is tried again, for what ended the worker.
 */
function isNoFallback(error: unknown): boolean {
  return error instanceof FramebatchError && error.code === "BATCH_UNSAFE";
}

/**
 * Returns the providers that may still work. A worker that lives has told which ones it has tried: it may begin with
 * the one that earlier visits have found best.
 */
function remainingProviders(
  left: readonly ExecutionProvider[],
  last: ExecutionProvider,
  triesAgain: boolean,
  { outcome, trials }: Pick<Attempt, "outcome" | "trials">,
): readonly ExecutionProvider[] {
  if (outcome === "died") return left.slice(left.indexOf(last) + (triesAgain ? 0 : 1));
  return left.filter((each) => (each === last ? triesAgain : !trials.some(({ provider }) => provider === each)));
}

/** ONNX Runtime has arrived in the first worker: to report it again would let progress go backwards. */
function withoutRuntime(plan: LoadPlan): LoadPlan {
  return { ...plan, onProgress: (progress) => progress.phase !== "runtime" && plan.onProgress(progress) };
}

/** Loads the model in one new worker. Terminates the worker unless the outcome is "ready". */
async function tryWorker(
  plan: LoadPlan,
  request: LoadRequest,
  signal: AbortSignal,
  listener: SessionListener,
  lost: number,
): Promise<Attempt> {
  const site = (await plan.sharing?.siteFor(request, signal, lost)) ?? plan.site;
  signal.throwIfAborted();
  const load = hearLoad(plan, listener, site === plan.site, () => client);
  const timeoutMs = startTimeoutFor(plan.runTimeoutMs);
  const client = new WorkerClient(site, timeoutMs, plan.clock, load.heard, plan.loadMemory);
  const abort = () => client.terminate(signal.reason);
  signal.addEventListener("abort", abort);
  // The function that starts the worker is the user's, and may have aborted.
  if (signal.aborted) abort();
  try {
    await client.ready();
    const reply = await client.load(request);
    if (reply.outcome === "ready") {
      return { ...reply, client, ...load.opened(reply.model) };
    }
    client.terminate(null);
    return { ...reply, isCheckFatal: client.isChecking };
  } catch (error) {
    client.terminate(error);
    const isShared = site !== plan.site || (site.isGroup === true && client.servesOthers);
    const provider = load.trying() ?? (isShared ? request.providers[0] : null) ?? null;
    if (signal.aborted || provider === null) throw error;
    const trials = [{ provider, chosen: false, reason: asError(error).message }] as const;
    return { outcome: "died", trials, error, isCheckFatal: client.isChecking, isShared };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Returns the error of the last trial. If it concerns a provider or a worker, its message also gives the outcome of the
 * earlier trials.
 */
function withTrials(error: unknown, trials: readonly Trial[]): unknown {
  const earlier = trials.slice(0, -1).map(({ provider, reason }) => `${provider}: ${reason}`);
  if (earlier.length === 0 || !isOfWay(error)) return error;
  const { code, message, cause, details } = error;
  return new FramebatchError(code, `${message} (tried before: ${earlier.join("; ")})`, { cause, details });
}

/** What a page hears of a worker that loads a model, and then of the session. */
interface HeardLoad {
  readonly heard: WorkerListener;
  /** Returns the provider that the worker tries, or has tried last. */
  readonly trying: () => ExecutionProvider | null;
  /** Notes that the session is open. Returns what returns the current outcomes of its checks. */
  readonly opened: (model: LoadedModel) => Pick<ModelSession, "batchCheck" | "providerCheck">;
}

/**
 * @param listener hears of the session once it is open
 * @param isOwn whether no other page uses the worker
 * @param client returns the worker
 */
function hearLoad(
  { onProgress, onTimed, onWarning, files }: LoadPlan,
  listener: SessionListener,
  isOwn: boolean,
  client: () => WorkerClient,
): HeardLoad {
  let trying: ExecutionProvider | null = null;
  let pinShared = (): void => undefined;
  let isOpen = false;
  let checked: BatchCheck | null = null;
  let compared: ProviderCheck | null = null;
  const heard: WorkerListener = {
    onProgress(progress) {
      trying = progress.provider;
      onProgress(progress);
    },
    onObtained(obtained, provider) {
      const pin = () => files.pin(obtained, provider);
      // A shared session may be of older files than this page asks for: they bind it only if it gets the session.
      if (isOwn) pin();
      else pinShared = pin;
    },
    onStored: (provider) => files.stored(provider),
    onTimed,
    onChecked(check) {
      checked = check;
      // In a shared worker, the check of another page can end before the load of this one.
      if (isOpen) listener.onChecked(check);
    },
    onCompared(check) {
      compared = check;
      if (isOpen) listener.onCompared(check);
    },
    onWarning,
    onDeath(error) {
      const { isChecking, isComparing } = client();
      if (isChecking && !isComparing) checked = fatalCheck();
      if (isOpen) listener.onDeath(error);
    },
  };
  const opened: HeardLoad["opened"] = ({ batchCheck, providerCheck }) => {
    isOpen = true;
    pinShared();
    return { batchCheck: () => checked ?? batchCheck, providerCheck: () => compared ?? providerCheck };
  };
  return { heard, trying: () => trying, opened };
}

/**
 * Returns the verdict for a check that ended its worker. Something else may have ended the worker, but running item by
 * item is always safe.
 */
function fatalCheck(): BatchCheck {
  return { outcome: "failed", reason: "the check of a batch ended the worker", fromCache: false };
}

import type { ExecutionProvider } from "../../core/providers.js";
import { decodeError, FramebatchError, errorTraits } from "../../core/errors.js";
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
import { startTimeoutFor } from "../../time/hang-watchdog.js";
import type { PageClock } from "../page/page-clock.js";
import type { FileLocations, PinnedFiles } from "./pinned-files.js";
import { WorkerClient } from "./worker-client.js";
import type { WorkerSite } from "./worker-site.js";

/** All that it takes to load a model, once or again. */
export interface LoadPlan {
  readonly files: PinnedFiles;
  readonly site: WorkerSite;
  readonly request: Omit<LoadRequest, "location" | "externalData" | "providers">;
  /** As in `ModelOptions`; `null` where its user leaves it to the predictions. */
  readonly runTimeoutMs: number | null;
  /** Comes on time in a hidden tab, too. */
  readonly clock: PageClock;
  readonly onProgress: (progress: ProgressNotice) => void;
  readonly onWarning: (error: Error) => void;
  readonly onTimed: (run: TimedRun) => void;
}

/** A worker with a model in it that has run. */
export interface ModelSession {
  readonly client: WorkerClient;
  readonly model: LoadedModel;
  /** What has come of the check of its batches, which may have been put off until the model was ready. */
  readonly batchCheck: () => BatchCheck;
  /** Every provider that was tried, in whichever worker. */
  readonly trials: readonly Trial[];
}

/** What the owner of a session hears of it once it is open. */
export interface SessionListener {
  /** A check that was pending has told. */
  onChecked(check: BatchCheck): void;
  onDeath(error: FramebatchError): void;
}

/** How far one worker has got. */
type Attempt =
  | {
      readonly outcome: "ready";
      readonly client: WorkerClient;
      readonly model: LoadedModel;
      readonly batchCheck: () => BatchCheck;
      readonly trials: readonly Trial[];
    }
  /** `isCheckFatal`: what ended the worker was the check of batches. */
  | (Exclude<LoadReply, { readonly outcome: "ready" }> & { readonly isCheckFatal: boolean })
  /** The provider that was being tried took the worker down with it. */
  | {
      readonly outcome: "died";
      readonly trials: readonly [Trial];
      readonly error: unknown;
      readonly isCheckFatal: boolean;
    };

/**
 * Loads the model with the first of `providers` that works. A worker in which a provider has failed is ended, and the
 * providers that are left are tried in a new one. A check of batches that ends a worker has failed: the provider is tried once more,
 * to run item by item.
 * @param found out by earlier sessions of the same model, and not to be found out again while requests wait; `null` for the first
 * @throws `signal.reason`, or the last provider's error with what became of the others.
 */
export async function openSession(
  plan: LoadPlan,
  providers: readonly ExecutionProvider[],
  signal: AbortSignal,
  listener: SessionListener,
  found: readonly Verdict[] | null = null,
): Promise<ModelSession> {
  const trials: Trial[] = [];
  // The page knows the times of runs from the runs themselves by then.
  const asked = found === null ? plan.request : { ...plan.request, warmup: false };
  const verdicts = [...(found ?? plan.request.found)];
  let left = providers;
  let known: Extract<LoadReply, { readonly outcome: "spent" }> | null = null;
  /** As the first worker found the model; those that follow are given it. */
  let fromCache: boolean | null = null;
  for (;;) {
    const { location, externalData }: FileLocations = known ?? (await plan.files.locate());
    const maxBatchSize = known?.maxRows ?? asked.maxBatchSize;
    const request = { ...asked, found: verdicts, maxBatchSize, location, externalData, providers: left };
    const attempt = await tryWorker(plan, request, signal, listener);
    trials.push(...attempt.trials);
    if (attempt.outcome === "ready") {
      const { client, batchCheck, model } = attempt;
      const maxRows = model.maxRows ?? known?.maxRows ?? null;
      return { client, batchCheck, trials, model: { ...model, fromCache: fromCache ?? model.fromCache, maxRows } };
    }
    const tried = attempt.trials.at(-1)?.provider;
    const isCheckFatal = attempt.isCheckFatal && !verdicts.some(({ provider }) => provider === tried);
    if (isCheckFatal && tried !== undefined) verdicts.push({ provider: tried, batchCheck: fatalCheck() });
    const isOver = !isCheckFatal && (attempt.outcome !== "spent" || attempt.maxRows === null);
    left = tried === undefined ? [] : left.slice(left.indexOf(tried) + (isOver ? 1 : 0));
    if (attempt.outcome === "failed" && isOver) throw withTrials(decodeError(attempt.error), trials);
    if (left.length === 0) throw withTrials(attempt.outcome === "died" ? attempt.error : null, trials);
    known = attempt.outcome === "spent" ? attempt : null;
    fromCache ??= known?.fromCache ?? null;
  }
}

/** A check that a worker did not survive. Whatever else may have ended it, items that run one by one are safe. */
function fatalCheck(): BatchCheck {
  return { outcome: "failed", reason: "the check of a batch ended the worker", fromCache: false };
}

async function tryWorker(
  plan: LoadPlan,
  request: LoadRequest,
  signal: AbortSignal,
  listener: SessionListener,
): Promise<Attempt> {
  signal.throwIfAborted();
  let trying: ExecutionProvider | null = null;
  let isOpen = false;
  let checked: BatchCheck | null = null;
  const client = new WorkerClient(plan.site, startTimeoutFor(plan.runTimeoutMs), plan.clock, {
    onProgress: (progress) => {
      trying = progress.provider;
      plan.onProgress(progress);
    },
    onObtained: (files) => plan.files.pin(files),
    onTimed: plan.onTimed,
    onChecked: (check) => {
      checked = check;
      listener.onChecked(check);
    },
    onWarning: plan.onWarning,
    onDeath: (error) => {
      if (client.isChecking) checked = fatalCheck();
      if (isOpen) listener.onDeath(error);
    },
  });
  const abort = () => client.terminate(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await client.ready();
    const reply = await client.load(request);
    if (reply.outcome === "ready") {
      isOpen = true;
      return { ...reply, client, batchCheck: () => checked ?? reply.model.batchCheck };
    }
    client.terminate(null);
    return { ...reply, isCheckFatal: client.isChecking };
  } catch (error) {
    client.terminate(error);
    if (signal.aborted || trying === null) throw error;
    const trials = [{ provider: trying, chosen: false, reason: messageOf(error) }] as const;
    return { outcome: "died", trials, error, isCheckFatal: client.isChecking };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The last error, with what became of the providers before the last one where it is providers that it is about. */
function withTrials(error: unknown, trials: readonly Trial[]): unknown {
  const earlier = trials.slice(0, -1).map(({ provider, reason }) => `${provider}: ${reason}`);
  if (!(error instanceof FramebatchError) || earlier.length === 0) return error;
  const { scope } = errorTraits(error.code);
  if (scope !== "provider" && scope !== "worker") return error;
  const { code, message, cause, details } = error;
  return new FramebatchError(code, `${message} (tried before: ${earlier.join("; ")})`, { cause, details });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

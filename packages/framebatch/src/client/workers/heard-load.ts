import type { ExecutionProvider } from "../../transport/providers.js";
import type { BatchCheck, LoadedModel } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import type { LoadPlan, ModelSession, SessionListener } from "./model-session.js";
import type { WorkerClient } from "./worker-client.js";
import type { WorkerListener } from "./worker-life.js";

/** What a page hears of a worker that loads a model, and then of the session. */
export interface HeardLoad {
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
export function hearLoad(
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
export function fatalCheck(): BatchCheck {
  return { outcome: "failed", reason: "the check of a batch ended the worker", fromCache: false };
}

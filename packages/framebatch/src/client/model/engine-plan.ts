import { callUser } from "@framebatch/host/call-user.js";
import { pageClock } from "@framebatch/host/host-timer.js";
import { toleranceOf } from "../options/batched-worker-options.js";
import type { BatchedWorkerOptions } from "../options/batched-worker.js";
import type { LoadPlan } from "../workers/model-session.js";
import { PinnedFiles } from "../workers/pinned-files.js";
import { runtimesIn } from "../workers/runtime-files.js";
import type { WorkerSite } from "../workers/worker-site.js";

/** The one "provider" of an engine: the page moves between those of a model, and an engine has nowhere to move. */
export const ENGINE_PROVIDERS = ["wasm"] as const;

/** An engine brings its own model: what a model needs is left out. */
const NO_MODEL = {
  isAutomatic: false,
  maxModelBytes: 0,
  rebatch: false,
  batchAxis: {},
  padding: {},
  cache: false,
  integrity: null,
  signature: null,
  warmup: false,
  found: [],
  sessionOptions: {},
  providerOptions: {},
  numThreads: 1,
  stallTimeoutMs: 0,
} as const;

/**
 * Returns the load plan of the workers with an engine. Its clock is that of the page: no worker of framebatch's own can wake
 * a hidden one.
 */
export function planEngine(
  site: WorkerSite,
  options: BatchedWorkerOptions<unknown>,
  maxBatchSize: number,
  listener: Pick<LoadPlan, "onWarning" | "onTimed">,
): LoadPlan {
  const tolerance = toleranceOf(options.verify);
  return {
    files: new PinnedFiles({ blob: new Blob() }, []),
    site,
    sharing: null,
    runTimeoutMs: options.runTimeoutMs ?? null,
    clock: { ...pageClock, close: () => undefined },
    request: {
      ...NO_MODEL,
      served: "engine",
      runtimes: runtimesIn(""),
      samples: options.samples ?? [],
      verifyBudgetMs: tolerance === null ? null : Infinity,
      agreement: { relative: tolerance ?? undefined, absolute: 0 },
      maxBatchSize,
      allowedBatchSizes: options.allowedBatchSizes ?? [],
    },
    onProgress: ({ phase, loadedBytes, totalBytes }) =>
      callUser(options.onProgress, { phase, loadedBytes, totalBytes }),
    ...listener,
  };
}

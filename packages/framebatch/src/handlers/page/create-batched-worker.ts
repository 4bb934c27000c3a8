import { describeValue } from "@framebatch/batcher/errors/description.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { contentKeys } from "@framebatch/batcher/functions/content-keys.js";
import { handledItems } from "./handled-items.js";
import type { PageItem } from "./page-items.js";
import { explainSilence } from "../../client/model/silent-script.js";
import { siteOfWorker } from "../../client/workers/user-worker-site.js";
import type { WorkerPool } from "../../client/workers/worker-pool.js";
import { runtimesIn, type WorkerSite } from "../../client/workers/worker-site.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { openOnWorkers, type WorkerModelParts } from "../../client/model/open-on-workers.js";
import { PageModel } from "../../client/model/page-model.js";
import { jointCheck } from "../../client/model/worker-findings.js";
import { callUser } from "@framebatch/host/call-user.js";
import { pageClock } from "@framebatch/host/host-timer.js";
import type { LoadPlan } from "../../client/workers/model-session.js";
import { PinnedFiles } from "../../client/workers/pinned-files.js";
import {
  type BatchedWorker,
  type BatchedWorkerOptions,
  type BatchedWorkerStats,
  checkBatchedWorkerOptions,
  toleranceOf,
} from "./batched-worker-options.js";

/**
 * Opens the engine of a worker, as `createBatchedWorker` does.
 * @param site where its workers come from
 * @throws the errors of `createBatchedWorker`
 */
export async function createBatchedWorkerAt<Input, Output>(
  worker: () => Worker,
  options?: BatchedWorkerOptions<Input>,
  site?: WorkerSite,
): Promise<BatchedWorker<Input, Output>>;
export async function createBatchedWorkerAt(
  worker: () => Worker,
  options: BatchedWorkerOptions<unknown> = {},
  site: WorkerSite = siteOfWorker(worker, explainSilence),
): Promise<BatchedWorker<unknown, unknown>> {
  checkStart(worker);
  checkBatchedWorkerOptions(options);
  return openOnWorkers({
    options,
    planFor: (maxBatchSize, listener) => planEngine(site, options, maxBatchSize, listener),
    providers: ENGINE_PROVIDERS,
    loadWays: null,
    kindOf: (pool) => engineItems(pool, options),
    modelOf: (parts) => new EngineModel(parts),
  });
}

function checkStart(worker: unknown): void {
  if (typeof worker === "function") return;
  const example = '() => new Worker(new URL("./embed.worker.ts", import.meta.url), { type: "module" })';
  throw optionError("worker", "a function that starts a worker", worker, `write ${example}`);
}

/** Items for an engine: as for handlers, and the page can tell equal ones. */
function engineItems(pool: WorkerPool, { shapeOf, contentKey, bisect, ...options }: BatchedWorkerOptions<unknown>) {
  const needsContent = options.dedupe === true || (options.resultCacheSize ?? 0) > 0;
  const functions = { shapeOf, contentKey: needsContent ? (contentKey ?? contentKeys()) : undefined };
  return {
    // An engine has nothing to prepare: a second message for each item would only cost time.
    ...handledItems(pool, functions, null, options.dedupe === true),
    copyResult: copyOf,
    ...(needsContent && { contentKey: (item: PageItem) => item.contentKey }),
    ...(bisect !== undefined && { bisect }),
  };
}

/**
 * Copies a result for one of the callers that share it.
 * @throws HANDLER_FAILED for a result that exists once, such as a stream
 */
function copyOf(result: unknown): unknown {
  try {
    return structuredClone(result);
  } catch (cause) {
    const got = describeValue(result);
    const message = `run: expected a result that can be copied, because dedupe or resultCacheSize is set, got ${got}; leave them out, or let contentKey return undefined for its item`;
    throw new FramebatchError("HANDLER_FAILED", message, { cause, details: { stage: "run" } });
  }
}

/** A `BatchedWorker`: the page's side. */
class EngineModel extends PageModel<unknown, PageItem, unknown> implements BatchedWorker<unknown, unknown> {
  readonly #parts: Pick<WorkerModelParts<unknown, PageItem, unknown>, "queue" | "pool">;

  constructor(parts: WorkerModelParts<unknown, PageItem, unknown>) {
    super(parts, parts.pool);
    this.#parts = parts;
  }

  stats(): BatchedWorkerStats {
    const { queue, pool } = this.#parts;
    return {
      ...queue.stats(),
      state: this.state,
      memoryBytes: pool.memoryBytes,
      instances: pool.slots.length,
      batchCheck: jointCheck(pool.slots.map(({ session }) => session)),
    };
  }
}

/** The one "provider" of an engine: the page moves between those of a model, and an engine has nowhere to move. */
const ENGINE_PROVIDERS = ["wasm"] as const;

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
 * Returns the load plan of the workers with an engine. Its clock is that of the page: no worker of framebatch's own can
 * wake a hidden one.
 */
function planEngine(
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

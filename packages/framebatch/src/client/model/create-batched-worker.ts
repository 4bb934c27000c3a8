import { describeValue } from "@framebatch/batcher/errors/description.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { contentKeys } from "@framebatch/batcher/functions/content-keys.js";
import { handledItems } from "../handlers/handled-items.js";
import type { PageItem } from "../handlers/page-items.js";
import { checkBatchedWorkerOptions } from "../options/batched-worker-options.js";
import type { BatchedWorker, BatchedWorkerOptions, BatchedWorkerStats } from "../options/batched-worker.js";
import { explainSilence } from "./silent-script.js";
import { siteOfWorker } from "../workers/user-worker-site.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { WorkerSite } from "../workers/worker-site.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { ENGINE_PROVIDERS, planEngine } from "./engine-plan.js";
import { openOnWorkers, type WorkerModelParts } from "./open-on-workers.js";
import { PageModel } from "./page-model.js";
import { jointCheck } from "./worker-findings.js";

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

/** Copies a result for one of the callers that share it. @throws HANDLER_FAILED for a result that exists once, such as a stream */
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

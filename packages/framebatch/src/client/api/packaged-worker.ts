import type { BatchedWorker, BatchedWorkerOptions } from "../../handlers/page/batched-worker-options.js";
import { keepOptions } from "../options/kept-options.js";
import { assertSupportedHost } from "../page/supported-host.js";
import { importOnDemand } from "./on-demand.js";

/**
 * Opens an engine of your own in a Web Worker: a pipeline of transformers.js or any other code. Items are queued,
 * batched, prioritised, superseded, timed out, aborted and counted as for a model. A worker that hangs or dies is
 * replaced, and its run repeated once. ONNX Runtime is not loaded. Resolves when `load` of the engine has resolved.
 * @param worker starts a worker with a module that calls `serve({ load, run, dispose })` of `framebatch/worker`. Called
 * for the first worker and for each replacement; must return a new worker each time. Items and results are anything
 * that structured cloning can copy.
 * @throws INVALID_OPTION when an option has a wrong name or value, or the module serves no engine; WORKER_LOAD_FAILED
 * when the module cannot be loaded, or does not call `serve` within 15 s; HANDLER_FAILED when `load` throws, or `run`
 * for one of `samples`, with `details.stage` and `cause`; UNSUPPORTED outside a page or dedicated worker;
 * WORKER_CRASHED or WORKER_HUNG when the worker is lost; RUNTIME_LOAD_FAILED when framebatch's own code cannot be
 * loaded; `options.signal.reason` on an abort.
 * @example
 * ```ts
 * const embed = await createBatchedWorker<string, number[]>(
 *   () => new Worker(new URL("./embed.worker.ts", import.meta.url), { type: "module" }),
 *   { maxBatchSize: 32 },
 * );
 * const vector = await embed.predict("one text", { key: "search-field" });
 * await embed.dispose();
 * ```
 */
export async function createBatchedWorker<Input, Output>(
  worker: () => Worker,
  options?: BatchedWorkerOptions<Input>,
): Promise<BatchedWorker<Input, Output>> {
  assertSupportedHost();
  const own = keepOptions(options);
  const { createBatchedWorkerAt } = await importOnDemand(() => import("./packaged-handled.js"));
  return createBatchedWorkerAt<Input, Output>(worker, own);
}

import { refuseOtherHosts } from "../page/host.js";
import { keepSource, type ModelSource } from "../options/model-source.js";
import type { BatchedModel } from "../options/model.js";
import { importOnDemand } from "./on-demand.js";
import type { ModelOptions } from "../options/options.js";
import type { WorkerSite } from "../workers/worker-site.js";

/** The worker of the package, for applications that a bundler builds. */
const packagedSite: WorkerSite = {
  script: "framebatch/worker",
  wasmPaths: null,
  // Bundlers know this expression by its letters: the URL must be made inside the call, and be written out.
  start: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
};

/**
 * Loads an ONNX model into a Web Worker, and resolves when it can predict. `source` is an address, resolved against the page
 * (in a dedicated worker, against its script), or bytes, which are copied before the call returns. Most of the page's own code is fetched with the first model.
 * @throws INVALID_OPTION; the codes that begin with MODEL_ for what is at the address;
 * WORKER_LOAD_FAILED, RUNTIME_LOAD_FAILED where framebatch's own files are not; UNSUPPORTED where no execution provider works;
 * `options.signal.reason`.
 */
export async function createBatchedModel(source: ModelSource, options: ModelOptions = {}): Promise<BatchedModel> {
  refuseOtherHosts();
  const kept = keepSource(source);
  const { createModelAt } = await importOnDemand(() => import("../model/create-batched-model.js"));
  return createModelAt(packagedSite, kept, options);
}

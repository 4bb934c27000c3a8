import { createModelAt } from "./client/model/create-batched-model.js";
import { assertSupportedHost } from "./client/page/host.js";
import { keepSource, type ModelSource } from "./client/options/model-source.js";
import type { BatchedModel } from "./client/options/model.js";
import type { ModelOptions } from "./client/options/options.js";
import type { createBatchedModel } from "./client/api/packaged.js";
import { siteAt } from "./client/workers/worker-site.js";

/**
 * Returns `createBatchedModel` for a build whose worker and ONNX Runtime files are in the same folder as the script.
 * @param scriptUrl absolute address of the script
 */
export function createBatchedModelBeside(scriptUrl: string): typeof createBatchedModel {
  const site = siteAt(new URL("framebatch.worker.js", scriptUrl).href);
  async function createBatchedModelHere(source: ModelSource, options: ModelOptions = {}): Promise<BatchedModel> {
    assertSupportedHost();
    return createModelAt(site, keepSource(source), options);
  }
  return createBatchedModelHere;
}

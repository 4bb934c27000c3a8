import { createModelAt } from "./client/create-batched-model.js";
import type { createBatchedModel } from "./client/packaged.js";
import { siteAt } from "./client/worker-site.js";

/** `createBatchedModel` for a build whose worker and ONNX Runtime files lie beside the script at `scriptUrl`. */
export function createBatchedModelBeside(scriptUrl: string): typeof createBatchedModel {
  const worker = new URL("framebatch.worker.js", scriptUrl).href;
  return (source, options) => createModelAt(siteAt(worker), source, options);
}

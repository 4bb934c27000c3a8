import { createBatchedModelBeside, createModelHubBeside } from "./standalone.js";

/**
 * The entry of `framebatch.js`, for `<script type="module">` on a page without a bundler. It has the same exports as
 * `index.ts`.
 */
export { batched } from "@framebatch/batcher/functions/batched.js";
export { createModelGroup } from "./client/api/packaged-group.js";
export { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
export { FramebatchError } from "@framebatch/batcher/errors/errors.js";
export {
  clearModelCacheHere as clearModelCache,
  createBatchedWorkerHere as createBatchedWorker,
  createRemoteModelHere as createRemoteModel,
  listCachedModelsHere as listCachedModels,
} from "./standalone.js";
export { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";

/** `createBatchedModel` of `index.ts`, with the worker and ONNX Runtime's files beside this script. */
export const createBatchedModel = createBatchedModelBeside(import.meta.url);

/** `createModelHub` of `index.ts`, with the same worker. */
export const createModelHub = createModelHubBeside(import.meta.url);

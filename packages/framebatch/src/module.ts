import { createBatchedModelBeside, createModelHubBeside } from "./standalone.js";

/**
 * The entry of `framebatch.js`, for `<script type="module">` on a page without a bundler. It has the same exports as
 * `index.ts`.
 */
export { batched } from "./client/functions/batched.js";
export { clearModels as clearModelCache, listModels as listCachedModels } from "./client/api/cached-models.js";
export { createModelGroup } from "./client/api/packaged-group.js";
export { createPipeline } from "./client/pipelines/create-pipeline.js";
export { FramebatchError } from "./core/errors.js";
export {
  createBatchedWorkerHere as createBatchedWorker,
  createRemoteModelHere as createRemoteModel,
} from "./standalone.js";
export { toPrometheusText } from "./core/stats/prometheus-text.js";

/** `createBatchedModel` of `index.ts`, with the worker and ONNX Runtime's files beside this script. */
export const createBatchedModel = createBatchedModelBeside(import.meta.url);

/** `createModelHub` of `index.ts`, with the same worker. */
export const createModelHub = createModelHubBeside(import.meta.url);

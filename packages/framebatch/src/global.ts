import { batched } from "@framebatch/batcher/functions/batched.js";
import { createModelGroup } from "./client/api/packaged-group.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import { currentScriptUrl } from "@framebatch/host/base-url.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";
import {
  clearModelCacheHere,
  createBatchedModelBeside,
  createBatchedWorkerHere,
  createModelHubBeside,
  createRemoteModelHere,
  listCachedModelsHere,
} from "./standalone.js";

/**
 * The entry of `framebatch.global.js`, for `<script src>` on a page without a bundler. It sets `globalThis.framebatch`
 * to the exports of `index.ts`. It reads the script's address at once, because the browser reports the address of a
 * classic script only during its first run.
 */
const scriptUrl = currentScriptUrl();

Object.assign(globalThis, {
  framebatch: Object.freeze({
    createBatchedModel: createBatchedModelBeside(scriptUrl),
    createModelHub: createModelHubBeside(scriptUrl),
    batched,
    createModelGroup,
    createPipeline,
    createBatchedWorker: createBatchedWorkerHere,
    createRemoteModel: createRemoteModelHere,
    listCachedModels: listCachedModelsHere,
    clearModelCache: clearModelCacheHere,
    FramebatchError,
    toPrometheusText,
  }),
});

import { batched } from "./client/functions/batched.js";
import { clearModels, listModels } from "./client/api/cached-models.js";
import { currentScriptUrl } from "./client/page/host.js";
import { FramebatchError } from "./core/errors.js";
import { toPrometheusText } from "./core/stats/prometheus-text.js";
import { createBatchedModelBeside } from "./standalone.js";

/**
 * Entry of `framebatch.global.js`, for `<script src>` on a page without a bundler: the exports of `index.ts`, as
 * `globalThis.framebatch`. A classic script learns its own address only while it runs for the first time.
 */
Object.assign(globalThis, {
  framebatch: Object.freeze({
    createBatchedModel: createBatchedModelBeside(currentScriptUrl()),
    batched,
    listCachedModels: listModels,
    clearModelCache: clearModels,
    FramebatchError,
    toPrometheusText,
  }),
});

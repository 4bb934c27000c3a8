import { batched } from "./client/batched.js";
import { clearModels, listModels } from "./client/cached-models.js";
import { currentScriptUrl } from "./client/host.js";
import { FramebatchError } from "./core/errors.js";
import { toPrometheusText } from "./core/prometheus-text.js";
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

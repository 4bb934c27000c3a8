import { batched } from "./client/batched.js";
import { clearModels, listModels } from "./client/cached-models.js";
import { FramebatchError } from "./core/errors.js";
import { toPrometheusText } from "./core/prometheus-text.js";
import { createBatchedModelBeside } from "./standalone.js";

/**
 * Entry of `framebatch.global.js`, for `<script src>` on a page without a bundler: the exports of `index.ts`, as
 * `globalThis.framebatch`. A classic script learns its own address only while it runs for the first time.
 */
const script = document.currentScript;
const scriptUrl = script instanceof HTMLScriptElement && script.src !== "" ? script.src : document.baseURI;

Object.assign(globalThis, {
  framebatch: Object.freeze({
    createBatchedModel: createBatchedModelBeside(scriptUrl),
    batched,
    listCachedModels: listModels,
    clearModelCache: clearModels,
    FramebatchError,
    toPrometheusText,
  }),
});

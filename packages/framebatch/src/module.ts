import { createBatchedModelBeside } from "./standalone.js";

/** Entry of `framebatch.js`, for `<script type="module">` on a page without a bundler: the exports of `index.ts`. */
export { batched } from "./client/functions/batched.js";
export { clearModels as clearModelCache, listModels as listCachedModels } from "./client/api/cached-models.js";
export { FramebatchError } from "./core/errors.js";
export { toPrometheusText } from "./core/stats/prometheus-text.js";

export const createBatchedModel = createBatchedModelBeside(import.meta.url);

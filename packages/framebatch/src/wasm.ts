/**
 * The entry for pages that run their models on WebAssembly alone. It has the same exports as `index.ts`, but a bundler
 * copies one build of ONNX Runtime for it, not three.
 */
import { openHub } from "./client/api/open-hub.js";
import { openModel } from "./client/api/open-model.js";
import { asCreateBatchedModel } from "./client/api/overloads.js";
import type { createModelHub as createModelHubOfIndex } from "./client/api/packaged-hub.js";

export * from "./batched.js";
export { createModelGroup } from "./client/api/packaged-group.js";

const loadShipment = () => import("./client/api/only-wasm.js");

/** `createBatchedModel` of `index.ts`, which rejects other execution providers. */
export const createBatchedModel = /* @__PURE__ */ asCreateBatchedModel((source, options) =>
  openModel(loadShipment, source, options),
);

/** `createModelHub` of `index.ts`, whose models reject other execution providers. */
export const createModelHub: typeof createModelHubOfIndex = (options) => openHub(loadShipment, options);

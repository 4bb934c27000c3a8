/**
 * The entry for pages and dedicated workers. Importing it touches no global, so a server may import it too.
 * @module framebatch
 */
export * from "./batched.js";
export { createBatchedModel } from "./client/api/packaged.js";
export { createModelGroup } from "./client/api/packaged-group.js";
export { createModelHub } from "./client/api/packaged-hub.js";

import { passOn, serve, slide } from "./index.js";

/**
 * The entry of `framebatch.worker.js`: the worker of framebatch's own, and what a worker without a bundler imports, as
 * a module or with `importScripts`, to call `framebatch.serve`.
 */
Object.assign(globalThis, { framebatch: Object.freeze({ passOn, serve, slide }) });

import type { RuntimeSite } from "../../src/client/workers/runtime-files.js";

const FILES = { script: new URL("runtime-in-node.ts", import.meta.url).href, wasm: "" };

/** ONNX Runtime for workers that run in Node. */
export const RUNTIMES: RuntimeSite = { jspi: FILES, webgpu: FILES, wasm: FILES };

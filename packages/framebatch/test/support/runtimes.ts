import type { RuntimeSite } from "../../src/client/workers/runtime-files.js";

let imports = 0;

/** All workers of a test share a thread, in which a script runs only once for each address. */
const filesOf = (name: string) => ({
  get script() {
    return new URL(`${name}?${++imports}`, import.meta.url).href;
  },
  wasm: "",
});

const GPU = filesOf("gpu-runtime-in-node.ts");

/** ONNX Runtime for workers that run in Node. */
export const RUNTIMES: RuntimeSite = { jspi: GPU, webgpu: GPU, wasm: filesOf("runtime-in-node.ts") };

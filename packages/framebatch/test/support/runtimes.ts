import type { RuntimeSite } from "../../src/client/workers/worker-site.js";

let imports = 0;

/**
 * All workers of a test share a thread, in which a script runs only once for each address. In JSON, and so in the key of
 * a shared session, the address stays the same.
 */
class FilesInNode {
  declare readonly script: string;
  readonly wasm = "";
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    const get = () => new URL(`${name}?${++imports}`, import.meta.url).href;
    Object.defineProperty(this, "script", { enumerable: true, get });
  }

  toJSON(): string {
    return this.#name;
  }
}

const GPU = new FilesInNode("gpu-runtime-in-node.ts");

/** ONNX Runtime for workers that run in Node. */
export const RUNTIMES: RuntimeSite = { jspi: GPU, webgpu: GPU, wasm: new FilesInNode("runtime-in-node.ts") };

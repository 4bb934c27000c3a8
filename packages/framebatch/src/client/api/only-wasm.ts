import type { Shipment } from "./shipped-site.js";

export { open } from "./packaged-model.js";

/** The worker, and the one build of ONNX Runtime that the provider `"wasm"` needs. */
export const shipment: Shipment = {
  files: () => {
    const plain = {
      script: new URL("./framebatch.ort.wasm.js", import.meta.url),
      wasm: new URL("./ort-wasm-simd-threaded.wasm", import.meta.url),
    };
    return {
      worker: new URL("./framebatch.worker.js", import.meta.url),
      // The only provider needs no other build.
      runtimes: { jspi: plain, webgpu: plain, wasm: plain },
    };
  },
  providers: ["wasm"],
};

import type { Shipment } from "./shipped-site.js";

export { open } from "./packaged-model.js";

/** The worker and every build of ONNX Runtime. */
export const shipment: Shipment = {
  files: () => ({
    worker: new URL("./framebatch.worker.js", import.meta.url),
    runtimes: {
      jspi: {
        script: new URL("./framebatch.ort.jspi.js", import.meta.url),
        wasm: new URL("./ort-wasm-simd-threaded.jspi.wasm", import.meta.url),
      },
      webgpu: {
        script: new URL("./framebatch.ort.webgpu.js", import.meta.url),
        wasm: new URL("./ort-wasm-simd-threaded.asyncify.bin", import.meta.url),
      },
      wasm: {
        script: new URL("./framebatch.ort.wasm.js", import.meta.url),
        wasm: new URL("./ort-wasm-simd-threaded.wasm", import.meta.url),
      },
    },
  }),
};

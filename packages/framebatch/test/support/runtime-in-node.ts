import * as runtime from "onnxruntime-web/wasm";
import { handOver } from "../../src/worker/ort/runtime-handover.js";

// In Node, ONNX Runtime reads its own files, and only if it is not told where they are.
Object.defineProperty(runtime.env.wasm, "wasmPaths", {
  configurable: true,
  get: () => undefined,
  set(): void {
    // Ignored.
  },
});

handOver(runtime);

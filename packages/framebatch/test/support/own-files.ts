import * as runtime from "onnxruntime-web/wasm";

/** In Node, ONNX Runtime reads its own files, and only if it is not told where they are. */
export function readOwnFiles(): void {
  Object.defineProperty(runtime.env.wasm, "wasmPaths", {
    configurable: true,
    get: () => undefined,
    set(): void {
      // Ignored.
    },
  });
}

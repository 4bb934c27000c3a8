import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  // Not "warn": OpenCV, a dependency of @gutenye/ocr-browser, has branches for Node.
  logLevel: "error",
  build: { target: "es2022", assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 12_000 },
  worker: { format: "es" },
  // @gutenye/ocr-browser runs on the same build of ONNX Runtime.
  resolve: { alias: [{ find: /^onnxruntime-web$/, replacement: "onnxruntime-web/wasm" }] },
});

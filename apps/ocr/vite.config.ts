import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  base: "./",
  // Not "warn": OpenCV, a dependency of @gutenye/ocr-browser, has branches for Node.
  logLevel: "error",
  plugins: [latin1Clipper()],
  build: { target: "es2022", assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 12_000 },
  worker: { format: "es" },
  // @gutenye/ocr-browser runs on the same build of ONNX Runtime.
  resolve: { alias: [{ find: /^onnxruntime-web$/, replacement: "onnxruntime-web/wasm" }] },
});

/** Loads js-clipper, a dependency of @gutenye/ocr-browser: a comment in it is Latin-1, and the bundler needs UTF-8. */
function latin1Clipper(): Plugin {
  return {
    name: "latin1-clipper",
    load: (id) => (id.endsWith("/js-clipper/clipper.js") ? readFileSync(id, "latin1") : null),
  };
}

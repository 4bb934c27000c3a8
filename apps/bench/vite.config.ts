import { defineConfig } from "vite";
import { ISOLATION_HEADERS } from "./isolation-headers.mjs";

export default defineConfig({
  base: "./",
  logLevel: "warn",
  build: {
    rolldownOptions: {
      input: ["index.html", "engines.html", "streams.html", "groups.html", "texts.html", "ledger.html"],
    },
    // For the functions of the ledger. No page asks for them.
    sourcemap: "hidden",
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  worker: { format: "es" },
  optimizeDeps: { exclude: ["framebatch", "onnxruntime-web"] },
  server: { headers: ISOLATION_HEADERS },
});

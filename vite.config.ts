import path from "node:path";
import process from "node:process";
import { defineConfig } from "vitest/config";
import { seedOfSources } from "./scripts/seed-of-sources.mjs";

export default defineConfig({
  define: { FRAMEBATCH_VERSION: JSON.stringify("0.0.0-test") },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "sim/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "apps/examples/{listen,testing}/*.test.ts",
      "models/test/**/*.test.{ts,mjs}",
      "e2e/docs/*.test.ts",
      "e2e/soak/test/**/*.test.ts",
      "scripts/*.test.mjs",
    ],
    provide: { seed: seedOfSources(path.join(import.meta.dirname, "packages")) },
    setupFiles: ["scripts/seed-fast-check.ts"],
    // Unit tests control their own clock and never wait, so a slow test hangs.
    testTimeout: 300_000,
    // On a busy machine, what a test waits for may come late.
    expect: { poll: { timeout: 60_000 } },
    // No module holds state, so the test files of a worker can share modules. Loading them for each file would double
    // the time.
    isolate: false,
    // By default, Vitest leaves a core to itself, which is half of a machine with two.
    maxWorkers: "100%",
    // Leaves out the second, optimizing compilation of ONNX Runtime, which takes a quarter of the tests that run models.
    execArgv: process.env["FRAMEBATCH_ALL"] === undefined ? ["--liftoff-only"] : [],
  },
});

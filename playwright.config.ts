import process from "node:process";
import { defineConfig } from "@playwright/test";
import type { BrowserOptions } from "./e2e/support/test.js";

/** Keeps a browser on a closed network from knocking at its maker's door, which is slow and noisy there. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
];
/** WebGPU in software, so that every machine computes the same. */
const SWIFTSHADER = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const SANDBOX = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** `npm test -- --all` sets it: every test, in a browser as users have it. */
const isComplete = process.env["FRAMEBATCH_ALL"] !== undefined;
const browser = process.env["FRAMEBATCH_CHROMIUM"];
/** Chromium without a window: the same pages and workers, in two thirds of the time. */
const headlessShell = isComplete ? undefined : process.env["FRAMEBATCH_HEADLESS_SHELL"];
/** A headless shell has no tab that can be hidden, and does not measure the memory of a page. */
const NEEDS_TABS = ["hidden-tab.spec.ts", "recovery-hidden.spec.ts", "bench.spec.ts"];

/**
 * What a browser does for pages that stay open longer than those of a test: it compiles ONNX Runtime a second time to run
 * faster, and clears the memory of each workgroup, which in software takes most of the time of compiling a shader.
 */
const SHORT_LIVED = isComplete ? [] : ["--js-flags=--liftoff-only", "--enable-dawn-features=disable_workgroup_init"];

function launchOptions(flags: readonly string[], executablePath = headlessShell ?? browser) {
  const args = [...QUIET, ...SANDBOX, ...SHORT_LIVED, ...flags];
  return { args, ...(executablePath !== undefined && { executablePath }) };
}

export default defineConfig<BrowserOptions>({
  testDir: "e2e",
  testMatch: "*.spec.ts",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: process.env["CI"] !== undefined,
  // Two, since the usual machine has two cores, and a page with a model keeps one of them busy.
  workers: 2,
  // For what hangs: ten times what the longest test takes where nothing else runs. A GPU in software takes minutes for some.
  timeout: isComplete ? 1_200_000 : 300_000,
  expect: { timeout: isComplete ? 300_000 : 60_000 },
  reporter: [["list"]],
  // No trace: recording one draws every page once more, which takes two fifths of the time of the playground's tests.
  use: { screenshot: "only-on-failure" },
  projects: [
    // First, since its tests take longest.
    {
      name: "webgpu",
      // What may differ between backends; the rest is asked once, where it is faster.
      testMatch: [
        "models.spec.ts",
        "predictions.spec.ts",
        "webgpu.spec.ts",
        "recovery-webgpu.spec.ts",
        "verification-webgpu.spec.ts",
        "playground.spec.ts",
      ],
      ...(!isComplete && { grepInvert: /@long|@slow-gpu/ }),
      use: { provider: "webgpu", launchOptions: launchOptions(SWIFTSHADER) },
    },
    {
      name: "wasm",
      testIgnore: ["webgpu.spec.ts", "recovery-webgpu.spec.ts", "verification-webgpu.spec.ts", ...NEEDS_TABS],
      ...(!isComplete && { grepInvert: /@long/ }),
      use: { provider: "wasm", launchOptions: launchOptions([]) },
    },
    {
      name: "wasm-in-tabs",
      testMatch: NEEDS_TABS,
      ...(!isComplete && { grepInvert: /@long/ }),
      use: { provider: "wasm", launchOptions: launchOptions([], browser) },
    },
  ],
});

import process from "node:process";
import { defineConfig } from "@playwright/test";
import type { BrowserOptions } from "./e2e/support/test.js";

/** Stops the browser from connecting to its vendor's servers, which is slow and prints errors on a closed network. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
];
/** WebGPU in software, so that results are the same on every machine. */
const SWIFTSHADER = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const SANDBOX = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** Set by `npm test -- --all`: runs every test, in a browser with default features. */
const isComplete = process.env["FRAMEBATCH_ALL"] !== undefined;
const browser = process.env["FRAMEBATCH_CHROMIUM"];
/** Chromium without a window. It runs the same pages and workers in two thirds of the time. */
const headlessShell = isComplete ? undefined : process.env["FRAMEBATCH_HEADLESS_SHELL"];
/** A picture that moves, in place of a camera, for the example with a webcam. */
const CAMERA = ["--use-fake-device-for-media-stream"];
/** Tests that cannot run in a headless shell: its tabs cannot be hidden, and it cannot measure the memory of a page. */
const NEEDS_TABS = ["hidden-tab.spec.ts", "recovery-hidden.spec.ts", "bench.spec.ts"];

/**
 * Turns off work that pays only for pages that stay open longer than a test: the second, optimizing compilation of ONNX
 * Runtime, and clearing the memory of each workgroup, which in software takes most of the time to compile a shader.
 */
const SHORT_LIVED = isComplete ? [] : ["--js-flags=--liftoff-only", "--enable-dawn-features=disable_workgroup_init"];

/**
 * Leaves the requests of service workers alone. A service worker outlives its pages, and so its test; if it stopped while
 * a later test calls `route`, Playwright would wait for its answer forever.
 */
process.env["PLAYWRIGHT_DISABLE_SERVICE_WORKER_NETWORK"] = "1";

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
  // For a machine with two cores: a page with a model keeps one core busy.
  workers: 2,
  // Ends tests that hang: ten times the longest test on an idle machine. Some tests take minutes on a GPU in software.
  timeout: isComplete ? 1_200_000 : 300_000,
  expect: { timeout: isComplete ? 300_000 : 150_000 },
  reporter: [["list"]],
  // No trace: recording one draws every page again, which takes two fifths of the time of the playground's tests.
  use: { screenshot: "only-on-failure" },
  projects: [
    // First, because its tests take longest.
    {
      name: "webgpu",
      // Only the tests that depend on the backend. The others run only on WASM, which is faster.
      testMatch: [
        "models.spec.ts",
        "predictions.spec.ts",
        "sequences.spec.ts",
        "texts.spec.ts",
        "states-on-device.spec.ts",
        "webgpu.spec.ts",
        "group.spec.ts",
        "links.spec.ts",
        "provider-options.spec.ts",
        "files-by-provider.spec.ts",
        "recovery-webgpu.spec.ts",
        "verification-webgpu.spec.ts",
        "wrong-providers.spec.ts",
        "playground.spec.ts",
        "zoo.spec.ts",
        "operators.spec.ts",
      ],
      ...(!isComplete && { grepInvert: /@long|@slow-gpu/ }),
      use: { provider: "webgpu", launchOptions: launchOptions(SWIFTSHADER) },
    },
    {
      name: "wasm",
      testIgnore: [
        "webgpu.spec.ts",
        "operators.spec.ts",
        "provider-options.spec.ts",
        "recovery-webgpu.spec.ts",
        "states-on-device.spec.ts",
        "verification-webgpu.spec.ts",
        "wrong-providers.spec.ts",
        ...NEEDS_TABS,
      ],
      ...(!isComplete && { grepInvert: /@long/ }),
      use: { provider: "wasm", launchOptions: launchOptions(CAMERA) },
    },
    {
      name: "wasm-in-tabs",
      testMatch: NEEDS_TABS,
      ...(!isComplete && { grepInvert: /@long/ }),
      use: { provider: "wasm", launchOptions: launchOptions([], browser) },
    },
  ],
});

import { test, type Page } from "@playwright/test";
import type { ModelOptions } from "framebatch";
import type { TestedProvider } from "./tested-provider.js";
import type { ModelName } from "../fixtures/items.js";
import type { ScenarioName } from "../fixtures/scenarios.js";
import { MODEL_PATHS } from "./sites/site.js";
import { expect } from "./test.js";

const TOLERANCE = 1e-4;
/** Items per scenario. Fewer on WebGPU: a GPU in software is slow, and compiles shaders for each batch size. */
const COUNT = { wasm: 40, webgpu: 8 };
const SIZES = { wasm: {}, webgpu: { maxBatchSize: 4 } };

const EVERY_WAY: readonly ScenarioName[] = [
  "one at a time",
  "in one burst",
  "as a list",
  "streamed from a list",
  "streamed from a slow source",
  "by two interleaved callers",
  "amid aborted calls",
];

/** Calls a model in every scenario, and expects the answers of ONNX Runtime called directly, one item at a time. */
export async function expectRightAnswers(
  harness: Page,
  provider: TestedProvider,
  model: ModelName,
  options: Omit<ModelOptions, "externalData"> = {},
): Promise<void> {
  const count = COUNT[provider];
  const request = { model, url: MODEL_PATHS[model], provider, count, options: { ...SIZES[provider], ...options } };
  const comparison = await harness.evaluateHandle((sent) => window.harness.openComparison(sent), request);
  // Answers must differ from one another: otherwise the test could not detect a row that went to the wrong caller.
  expect(await comparison.evaluate((it) => it.apart())).toBeGreaterThan(10 * TOLERANCE);
  for (const scenario of EVERY_WAY) {
    await test.step(scenario, async () => {
      const { worst, answered, aborted, stats } = await comparison.evaluate((it, how) => it.ask(how), scenario);
      expect(worst, scenario).toBeLessThanOrEqual(TOLERANCE);
      expect(answered + aborted).toBe(count);
      expect(stats.executionProvider).toBe(provider);
      expect(stats.requests).toMatchObject({ completed: answered, failed: 0, queued: 0, inFlight: 0 });
    });
  }
}

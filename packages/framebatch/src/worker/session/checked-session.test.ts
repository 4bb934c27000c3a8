import { generateModel } from "@framebatch/models/generate";
import { afterEach, expect, it, vi } from "vitest";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

afterEach(() => vi.unstubAllGlobals());

it.each([[[64]], [[1, 64]]])("of the sizes %j, the check compares one that is a batch", async (allowedBatchSizes) => {
  stubBrowser();
  const bytes = generateModel("mixing-marked-from-nine-rows-on").bytes;
  const options = { executionProviders: ["wasm"], verify: { budgetMs: 600_000 }, allowedBatchSizes } as const;
  const model = await modelInNode(bytes, options);
  const { outcome } = model.stats().batchCheck;
  await model.dispose();
  expect(outcome).toBe("failed");
});

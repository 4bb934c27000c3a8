import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

beforeAll(() => stubBrowser());
afterAll(() => void vi.unstubAllGlobals());

/** More columns than any memory has. An item without a row needs no memory for them, but a batch with it does. */
const COLUMNS = 2 ** 40;

const image = (height: number, width: number) => ({
  image: { data: new Float32Array(height === 0 || width === 0 ? 0 : 3 * height * width), dims: [3, height, width] },
});

describe("a batch that has no memory on the page", () => {
  // defect C4
  it.each([
    ["an item is too wide for the others", [image(1, 1), image(0, COLUMNS), image(1, 2), image(2, 1)], [1]],
    ["two items are too large together only", [image(COLUMNS, 0), image(2, 2), image(0, COLUMNS), image(1, 1)], [0, 2]],
  ])("runs in parts if %s, which are answered", async (_, items, odd) => {
    await using model = await modelInNode(generateModel("pixelwise").bytes, {
      executionProviders: ["wasm"],
      padding: { image: {} },
      verify: false,
      // Without a measured cost, no batch is divided by the sizes of its items.
      warmup: false,
      batching: { release: "idle" },
    });
    const outcomes = await Promise.allSettled(items.map((item) => model.predict(item)));
    for (const [index, outcome] of outcomes.entries()) {
      if (!odd.includes(index)) expect(outcome.status).toBe("fulfilled");
      // Whatever ONNX Runtime makes of it, it is an answer or an error of the SDK.
      else if (outcome.status === "rejected") expect(outcome.reason).toHaveProperty("code");
    }
  });
});

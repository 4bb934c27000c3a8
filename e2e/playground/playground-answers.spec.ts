import type { Page } from "@playwright/test";
import { encodeModel } from "../../models/src/onnx-writer.mjs";
import { externalWeights, modelWithExternalWeights, WEIGHTS_PATH } from "../../models/src/external-weights.mjs";
import { axeViolations } from "../support/pages/axe.js";
import { modelIsReady, openPlayground, openScene } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const FIGURES = "101_364_3.6_3.1_4.2_0_60_30_2_1.8_2.2_0_90_30_3_2.5_3.6_0_9_9_1_0.9_1.1_0";

/** A link's result for a model: "Yes 3.6×", on WASM with 2 cores. */
function resultOf(model: string): string {
  return `3_2026-11-23_${model}_64_continuous_256_frame_0_wasm__2_0_16_4_8_0.04_${FIGURES}`;
}

test("a link lands on what was measured, where and when, above all else, and asks for the visitor's own", async ({
  page,
  playground,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPlayground(page, playground.url, `?moving=off&tiles=8&result=${resultOf("digits.onnx")}`);
  const shared = page.getByTestId("shared");
  await expect(shared).toContainText("Somebody measured digits.onnx on Nov 23, 2026");
  await expect(shared).toContainText("WASM, 2 cores");
  await expect(shared).toContainText("Noise here: ±4");
  await expect(shared.getByTestId("headline")).toHaveText("Yes 3.6× (3.1–4.2)");
  await expect(shared.getByTestId("headline")).toBeInViewport();
  await expect(page.getByTestId("measure-mine")).toBeInViewport();
  expect(await axeViolations(page)).toEqual([]);
  await test.step("a button that disappears leaves the focus at the heading of its section, or of the page", async () => {
    await page.getByTestId("measure-mine").press("Enter");
    await expect(page.getByTestId("verdict-card")).toHaveAttribute("data-phase", "running");
    await expect(shared.getByRole("heading").first()).toBeFocused();
    await page.getByTestId("stop").press("Enter");
    await expect(page.getByTestId("compare")).toBeFocused();
    await page.getByTestId("dismiss-shared").press("Enter");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await page.getByTestId("scene-model").click();
    await page.locator(".example").first().press("Enter");
    await expect(page.getByTestId("drop").getByRole("heading")).toBeFocused();
  });
});

test("a link about a file asks for the same file", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model&result=${resultOf("tiny-mlp.onnx")}`);
  await expect(page.getByTestId("shared")).toContainText("Drop the same tiny-mlp.onnx on this page.");
});

test("a model that mixes items is answered without a measurement, with its reason and its code", async ({
  page,
  playground,
  elsewhere,
}) => {
  await openScene(page, playground.url, "model", `${elsewhere.url}/models/mixing-average-over-rows.onnx`);
  await page.getByTestId("compare").click();
  await expect(page.getByTestId("headline")).toHaveText("Cannot batch");
  await expect(page.getByTestId("verdict")).toContainText(/mixes the items of a batch|other answers than its items/);
  await expect(page.getByTestId("snippet")).toContainText("batching: false");
  await expect(page.getByTestId("comparison")).toBeHidden();
  expect(await axeViolations(page)).toEqual([]);
});

test(
  "batches of one and a lone caller are answered at once, and the figures of the scene stay",
  { tag: LONG },
  async ({ page, playground }) => {
    await openPlayground(page, playground.url, "?tiles=8&maxbatch=1");
    const rate = page.getByTestId("live-throughput");
    await expect(rate).not.toHaveText("–");
    await page.getByTestId("compare").click();
    await expect(page.getByTestId("headline")).toHaveText("Batches of one");
    await expect(rate).not.toHaveText("–");
    await openPlayground(page, playground.url, "?tiles=1&moving=off");
    await page.getByTestId("compare").click();
    await expect(page.getByTestId("headline")).toHaveText("Nobody to batch with");
  },
);

test("a model that does not load cannot be measured, and the card says why", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model&model=/faults/missing.onnx`);
  await expect(page.getByTestId("error")).toBeVisible();
  await expect(page.getByTestId("compare")).toBeDisabled();
  await expect(page.getByTestId("verdict")).toContainText("there is nothing to measure");
});

test("weights in another file are named, and can be added alone", { tag: LONG }, async ({ page, playground }) => {
  const size = { matrices: 1, width: 16 };
  await page.goto(`${playground.url}/?scene=model&tiles=2`);
  await choose(page, "external.onnx", modelWithExternalWeights(size));
  await expect(page.getByTestId("error")).toContainText(`Add ${WEIGHTS_PATH}`);
  await choose(page, WEIGHTS_PATH, Buffer.concat([...externalWeights(size)]));
  await modelIsReady(page);
  await expect(page.getByTestId("error")).toBeHidden();
  await expect(page.getByTestId("drop")).toContainText("external.onnx");
});

test(
  "an operator that ONNX Runtime does not have is named, without advice to try again",
  { tag: LONG },
  async ({ page, playground }) => {
    const tensor = { type: "float32", dims: ["batch", 4] } as const;
    const custom = encodeModel({
      name: "custom",
      nodes: [{ opType: "MyCustomOp", inputs: ["x"], outputs: ["y"], attributes: {} }],
      initializers: [],
      inputs: [{ name: "x", ...tensor }],
      outputs: [{ name: "y", ...tensor }],
      values: [],
    });
    await page.goto(`${playground.url}/?scene=model`);
    await choose(page, "custom.onnx", custom);
    const error = page.getByTestId("error");
    await expect(error).toContainText("does not have the operator MyCustomOp");
    await expect(error).not.toContainText("Try again");
  },
);

async function choose(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) };
  await page.getByTestId("model-file").setInputFiles(file);
}

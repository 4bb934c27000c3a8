import { readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { withWeights } from "./support/large-model.js";
import { compare, modelIsReady, openScene } from "./support/playground.js";
import { expect, test } from "./support/test.js";

const FIFTY_MEGABYTES = 50e6;

function modelFile(name: string): string {
  return fileURLToPath(new URL(`../models/dist/${name}.onnx`, import.meta.url));
}

/** Whether the model answers what it is asked, again and again. */
async function isAnswering(page: Page): Promise<void> {
  await expect(page.getByTestId("answer")).not.toContainText("Nothing yet");
  await expect(page.getByTestId("live-throughput")).not.toHaveText("–");
}

test("a file is read, asked with values that fit, and compared", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model`);
  await expect(page.getByTestId("compare")).toBeDisabled();
  await page.getByTestId("model-file").setInputFiles(modelFile("text-encoder"));
  await modelIsReady(page);
  await expect(page.getByTestId("facts")).toContainText("ids int64 [batch, length]");
  await expect(page.getByTestId("facts")).toContainText("embedding float32 [batch, 128]");
  await isAnswering(page);
  await page.getByLabel("length").first().fill("4");
  await page.getByLabel("length").first().blur();
  await expect(page.getByTestId("inputs")).toContainText("int64 [4]");
  await isAnswering(page);
  await page.getByTestId("tile-count").fill("4");
  await expect(await compare(page)).toContainText(/p99/);
});

test("a dropped file is taken", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model`);
  const bytes = [...(await readFile(modelFile("mlp-small")))];
  const data = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(content)], "dropped.onnx"));
    return transfer;
  }, bytes);
  await page.getByTestId("drop").dispatchEvent("drop", { dataTransfer: data });
  await expect(page.getByTestId("drop")).toContainText("dropped.onnx");
  await modelIsReady(page);
  await isAnswering(page);
});

test("values of one's own are asked, and wrong ones are told", async ({ page, playground, elsewhere }) => {
  await openScene(page, playground.url, "model", `${elsewhere.url}/models/affine-float32.onnx`);
  await page.getByText("Write the values yourself").click();
  const values = page.getByTestId("inputs").getByRole("textbox");
  await values.fill("1 2 three");
  await expect(page.getByTestId("inputs")).toContainText(/Expected \d+ values, got 3|"three" is no number/);
  await expect(values).toHaveAttribute("aria-invalid", "true");
  await isAnswering(page);
});

test("a model of 50 MB works", async ({ page, playground }, info) => {
  const file = info.outputPath("large.onnx");
  await writeFile(file, withWeights(await readFile(modelFile("mlp-tiny")), FIFTY_MEGABYTES));
  await page.goto(`${playground.url}/?scene=model`);
  await page.getByTestId("model-file").setInputFiles(file);
  await modelIsReady(page);
  await expect(page.getByTestId("facts")).toContainText(/50\sMB/);
  await isAnswering(page);
  await rm(file);
});

test("a model of strings is asked with words", async ({ page, playground, elsewhere }) => {
  await openScene(page, playground.url, "model", `${elsewhere.url}/models/identity-string.onnx`);
  await expect(page.getByTestId("inputs")).toContainText("Made-up words");
  await isAnswering(page);
  await expect(page.getByTestId("answer")).toContainText(/[a-z]{4}/);
});

test("a model with a fixed batch says so, and works", async ({ page, playground, elsewhere }) => {
  await openScene(page, playground.url, "model", `${elsewhere.url}/models/mlp-fixed-4.onnx`);
  await expect(page.getByTestId("facts")).toContainText("exactly 4 items");
  await isAnswering(page);
});

test("a model that is fixed at one item says what becomes of it", async ({ page, playground, elsewhere }) => {
  await openScene(page, playground.url, "model", `${elsewhere.url}/models/mlp-fixed-1.onnx`);
  await expect(page.getByTestId("facts")).toContainText(/rewritten it to take more|runs item by item/);
  await isAnswering(page);
});

test("a file that is no model is refused in plain words, and the next one is taken", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model`);
  await page.getByTestId("model-file").setInputFiles({
    name: "holiday.onnx",
    mimeType: "image/png",
    buffer: Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  });
  const error = page.getByTestId("error");
  await expect(error).toContainText("not an ONNX model");
  await expect(error).toContainText("Choose a file that ends in .onnx");
  await page.getByTestId("model-file").setInputFiles(modelFile("mlp-small"));
  await modelIsReady(page);
  await expect(error).toBeHidden();
});

test("an address on a site that forbids it says what to do", async ({ page, playground, home }) => {
  await page.goto(`${playground.url}/?scene=model`);
  await page.getByTestId("model-address").fill(`${home.url}/models/mlp-tiny.onnx`);
  await page.getByTestId("load-address").click();
  await expect(page.getByTestId("error")).toContainText("CORS");
  await expect(page.getByTestId("error")).toContainText("choose it as a file");
});

test("a model whose values go beyond its vocabulary blames the values", async ({ page, playground, elsewhere }) => {
  await page.goto(`${playground.url}/?scene=model&moving=off`);
  await page.getByTestId("model-address").fill(`${elsewhere.url}/models/text-encoder.onnx`);
  await page.getByTestId("load-address").click();
  await modelIsReady(page);
  await page.getByLabel("to", { exact: true }).first().fill("1000000");
  await page.getByLabel("to", { exact: true }).first().blur();
  await page.getByTestId("ask-once").click();
  await expect(page.getByTestId("error")).toContainText("narrow their range");
});

import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { withWeights } from "../support/sites/large-model.js";
import { compare, dropFile, modelIsReady, openScene } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const FIFTY_MEGABYTES = 50e6;

function modelFile(name: string): string {
  return fileURLToPath(new URL(`../../models/dist/${name}.onnx`, import.meta.url));
}

/** Opens the scene "Your model" without a model, with one caller. */
async function openEmpty(page: Page, url: string, query = ""): Promise<void> {
  await page.goto(`${url}/?scene=model&tiles=1${query}`);
  await expect(page.getByTestId("drop")).toBeVisible();
}

/** Selects a file, and waits until its model is ready. */
async function takeFile(page: Page, file: string): Promise<void> {
  await page.getByTestId("model-file").setInputFiles(file);
  await expect(page.getByTestId("drop")).toContainText(path.basename(file));
  await modelIsReady(page);
}

/** Expects that the model answers requests continuously. */
async function isAnswering(page: Page): Promise<void> {
  await expect(page.getByTestId("answer")).not.toContainText("Nothing yet");
  await expect(page.getByTestId("live-throughput")).not.toHaveText("–");
}

/** The scene's remarks about unusual models. */
const FILES = [
  { model: "mlp-fixed-4", what: "a fixed batch", says: /exactly 4 items/ },
  { model: "mlp-fixed-1", what: "a batch fixed at one item", says: /rewritten it to take more|runs item by item/ },
  { model: "identity-string", what: "strings as inputs", says: /string/, asks: /Made-up words/, answers: /[a-z]{4}/ },
];

test(
  "model files load one after the other and get valid inputs, and other files are rejected",
  { tag: LONG },
  async ({ page, playground }) => {
    await openEmpty(page, playground.url);
    await expect(page.getByTestId("compare")).toBeDisabled();
    await test.step("token ids of an adjustable length", async () => {
      await takeFile(page, modelFile("text-encoder"));
      await expect(page.getByTestId("facts")).toContainText("ids int64 [batch, length]");
      await expect(page.getByTestId("facts")).toContainText("embedding float32 [batch, 128]");
      await expect(page.getByTestId("batchable")).toContainText("Batchable: its items are stacked along axis 0.");
      await expect(page.getByTestId("facts")).toContainText(/Parameters\d.*Operators\d.*Opset\d/);
      await isAnswering(page);
      await page.getByLabel("length").first().fill("4");
      await page.getByLabel("length").first().blur();
      await expect(page.getByTestId("inputs")).toContainText("int64 [4]");
      await isAnswering(page);
    });
    for (const { model, what, says, asks, answers } of FILES) {
      await test.step(what, async () => {
        await takeFile(page, modelFile(model));
        await expect(page.getByTestId("facts")).toContainText(says);
        if (asks !== undefined) await expect(page.getByTestId("inputs")).toContainText(asks);
        await isAnswering(page);
        if (answers !== undefined) await expect(page.getByTestId("answer")).toContainText(answers);
      });
    }
    await test.step("a picture as the value of an input that takes pictures", async () => {
      await takeFile(page, fileURLToPath(new URL("../../models/digits/digits.onnx", import.meta.url)));
      await expect(page.getByTestId("picture-field")).toContainText("28 × 28 pixels in gray, values 0 to 1");
      await page.getByTestId("picture-file").setInputFiles({
        name: "dot.png",
        mimeType: "image/png",
        buffer: await page.getByRole("link", { name: "Digits" }).screenshot(),
      });
      await expect(page.getByTestId("picture-field")).toContainText("Every item is this picture");
      await isAnswering(page);
      await expect(page.getByTestId("error")).toBeHidden();
    });
    await test.step("a file that is not a model is rejected with a message in plain language, and the next file loads", async () => {
      await page.getByTestId("model-file").setInputFiles({
        name: "holiday.onnx",
        mimeType: "image/png",
        buffer: Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      });
      const error = page.getByTestId("error");
      await expect(error).toContainText("not an ONNX model");
      await expect(error).toContainText("The file is a PNG picture.");
      await expect(error).toContainText("Choose a file that ends in .onnx");
      await expect(error.locator(".problem-what")).not.toContainText("operators");
      await expect(page.getByTestId("choose-other")).toBeVisible();
      for (const measures of ["compare", "sweep-start"]) await expect(page.getByTestId(measures)).toBeDisabled();
      for (const words of ["verdict", "sweep-words"]) {
        await expect(page.getByTestId(words)).toContainText("The model does not run, so there is nothing to");
      }
      await dropFile(page, modelFile("mlp-small"));
      await expect(page.getByTestId("drop")).toContainText("mlp-small.onnx");
      await modelIsReady(page);
      await expect(error).toBeHidden();
      await isAnswering(page);
    });
  },
);

test("a click on the button for the visitor's model opens the dialog for files, and what is chosen is the model", async ({
  page,
  playground,
}) => {
  await page.goto(`${playground.url}/?moving=off&tiles=1`);
  const [dialog] = await Promise.all([page.waitForEvent("filechooser"), page.getByTestId("own-model").click()]);
  expect(dialog.isMultiple()).toBe(true);
  await expect(page).not.toHaveURL(/scene=model/);
  await dialog.setFiles(modelFile("mlp-small"));
  await expect(page).toHaveURL(/scene=model/);
  await expect(page.getByTestId("drop")).toContainText("mlp-small.onnx");
  await modelIsReady(page);
});

test("a model loads from an address, accepts custom values, and reports invalid ones", async ({
  page,
  playground,
  elsewhere,
  home,
}) => {
  await openScene(page, playground.url, "model", `${elsewhere.url}/models/affine-float32.onnx`);
  await page.getByText("Write the values yourself").click();
  const values = page.getByTestId("inputs").getByRole("textbox");
  await values.fill("1 2 three");
  await expect(page.getByTestId("inputs")).toContainText(/Expected \d+ values, got 3|"three" is not a number/);
  await expect(values).toHaveAttribute("aria-invalid", "true");
  await isAnswering(page);
  await test.step("values can be typed with spaces between them", async () => {
    await values.fill("");
    await values.pressSequentially("1 2");
    await expect(values).toHaveValue("1 2");
  });
  await test.step("callers wait while the tab is hidden", async () => {
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true });
      globalThis.requestAnimationFrame = () => 0;
    });
    const answers = (): Promise<string | null> => page.getByTestId("raw-stats").textContent();
    let before = await answers();
    await expect
      .poll(
        async () => {
          const now = await answers();
          const isQuiet = now === before;
          before = now;
          return isQuiet;
        },
        { intervals: [1000] },
      )
      .toBe(true);
  });
  await test.step("an address without CORS shows what to do", async () => {
    await page.getByTestId("model-address").fill(`${home.url}/models/mlp-tiny.onnx`);
    await page.getByTestId("load-address").click();
    await expect(page.getByTestId("error")).toContainText("CORS");
    await expect(page.getByTestId("error")).toContainText("choose it as a file");
  });
});

test(
  "token ids beyond the vocabulary show a message about their range",
  { tag: LONG },
  async ({ page, playground }) => {
    await openEmpty(page, playground.url, "&moving=off");
    await takeFile(page, modelFile("text-encoder"));
    await page.getByLabel("to", { exact: true }).first().fill("1000000");
    await page.getByLabel("to", { exact: true }).first().blur();
    await page.getByTestId("ask-once").click();
    await expect(page.getByTestId("error")).toContainText("narrow their range");
  },
);

test("a model from a file can be compared", { tag: LONG }, async ({ page, playground }) => {
  await openEmpty(page, playground.url);
  await takeFile(page, modelFile("text-encoder"));
  await page.getByTestId("tile-count").fill("4");
  await expect(await compare(page)).toContainText(/p99/);
});

test("a model of 50 MB loads and answers", { tag: LONG }, async ({ page, playground }, info) => {
  const file = info.outputPath("large.onnx");
  await writeFile(file, withWeights(await readFile(modelFile("mlp-tiny")), FIFTY_MEGABYTES));
  await openEmpty(page, playground.url);
  await takeFile(page, file);
  await expect(page.getByTestId("facts")).toContainText(/50\sMB/);
  await isAnswering(page);
  await rm(file);
});

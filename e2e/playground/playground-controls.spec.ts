import { fileURLToPath } from "node:url";
import { expect, LONG, test } from "../support/test.js";
import { drawOne, dropFile, modelIsReady, openPlayground } from "../support/pages/playground.js";

/** A query for a page that sends no requests automatically. */
const QUIET = "?tiles=1&moving=off";

test("batching, the number of variants and the scene can be changed at any time", async ({ page, playground }) => {
  await openPlayground(page, playground.url, QUIET);
  await test.step("batching can be turned off and on", async () => {
    const batching = page.getByTestId("batching-switch");
    await expect(batching).toBeChecked();
    await batching.click();
    await expect(batching).not.toBeChecked();
    await drawOne(page);
    await expect(page.getByTestId("prediction")).toContainText("1");
    await batching.click();
    await expect(batching).toBeChecked();
  });
  await test.step("the slider sets the number of classified variants", async () => {
    const tiles = page.getByTestId("tiles").locator("> *");
    await expect(tiles).toHaveCount(1);
    await page.getByTestId("tile-count").fill("64");
    await expect(tiles).toHaveCount(64);
    await page.getByTestId("sample-7").click();
    await expect(page.getByTestId("prediction")).toContainText("7");
  });
  await test.step("scenes are entries of the browser's history, and keep the settings", async () => {
    await page.getByTestId("tile-count").fill("16");
    await page.getByTestId("scene-model").click();
    await expect(page).toHaveURL(/scene=model/);
    await expect(page.getByTestId("tile-count")).toHaveValue("16");
    await page.goBack();
    await expect(page.getByTestId("pad")).toBeVisible();
    await expect(page.getByTestId("scene-digits")).toHaveAttribute("aria-current", "page");
    await modelIsReady(page);
    await expect(page.getByTestId("prediction")).toContainText(/\d/);
  });
});

test(
  "a scene can be left while it measures, and a file dropped on any",
  { tag: LONG },
  async ({ page, playground }) => {
    await openPlayground(page, playground.url, QUIET);
    await test.step("a scene that is left while it measures reports no failure", async () => {
      await page.getByTestId("compare").click();
      await expect(page.getByTestId("countdown")).toBeVisible();
      await page.getByTestId("scene-cars").click();
      await expect(page.getByTestId("compare")).toBeEnabled();
      await expect(page.getByTestId("error")).toBeHidden();
    });
    await test.step("a model file that is dropped on any scene opens as the user's own model", async () => {
      await dropFile(page, fileURLToPath(new URL("../../models/dist/mlp-tiny.onnx", import.meta.url)));
      await expect(page).toHaveURL(/scene=model/);
      await expect(page.getByTestId("drop")).toContainText("mlp-tiny.onnx");
      await modelIsReady(page);
      // Without moving callers, the page asks once by itself.
      await expect(page.getByTestId("answer")).not.toContainText("Nothing yet");
    });
  },
);

test("every setting is stored in the address, and restored from it", async ({ page, playground }) => {
  await openPlayground(page, playground.url, QUIET);
  await page.getByTestId("tile-count").fill("9");
  await page.getByTestId("release").selectOption("window");
  await page.getByTestId("pace").selectOption("frame");
  await page.getByTestId("max-batch").fill("3");
  await page.getByTestId("pressure").fill("4");
  await page.getByTestId("batching-switch").click();
  await expect(page).toHaveURL(/tiles=9&batching=off&release=window&maxbatch=8&pace=frame&moving=off&pressure=4/);
  await page.reload();
  await modelIsReady(page);
  await expect(page.getByTestId("tiles").locator("> *")).toHaveCount(9);
  await expect(page.getByTestId("release")).toHaveValue("window");
  await expect(page.getByTestId("max-batch")).toHaveValue("3");
  await expect(page.getByTestId("pressure")).toHaveValue("4");
  await expect(page.getByTestId("batching-switch")).not.toBeChecked();
  await expect(page.getByTestId("moving-switch")).not.toBeChecked();
});

const BROKEN = [
  { what: "is missing", path: "/faults/missing.onnx", says: /404/ },
  { what: "is an HTML page", path: "/faults/page.onnx", says: /html/i },
  { what: "is not an ONNX file", path: "/faults/noise.onnx", says: /onnx/i },
];

test("the page names its opponents and what each lacks, below its own verdict, and leads to the measurements against them", async ({
  page,
  documentation,
}) => {
  await page.goto(`${documentation.url}/index.html?scene=digits&tiles=4&moving=off`);
  const opponents = page.getByRole("region", { name: "Against whom?" });
  const cards = opponents.getByRole("listitem");
  for (const name of ["Batching off", "Comlink and DataLoader", "40 lines by hand", "onnxruntime-web on the page"])
    await expect.soft(cards.filter({ has: page.getByRole("heading", { name }) })).toContainText(/Lacks: \S+ \S+/);
  await expect(cards).toHaveCount(4);
  // "Measured above, on your device."
  const [ours, theirs] = await Promise.all([page.getByTestId("verdict-card").boundingBox(), opponents.boundingBox()]);
  expect(ours?.y).toBeLessThan(theirs?.y ?? 0);
  await opponents.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("What was measured");
  for (const lane of ["off", "DataLoader", "hand-written", "onnxruntime-web on the page's thread"])
    await expect.soft(page.getByRole("main")).toContainText(lane);
});

test(
  "a model that cannot be loaded shows an error message in plain language",
  { tag: LONG },
  async ({ page, playground }) => {
    for (const { what, path, says } of BROKEN) {
      await test.step(`it ${what}`, async () => {
        await page.goto(`${playground.url}/?scene=digits&model=${encodeURIComponent(path)}`);
        const error = page.getByTestId("error");
        await expect(error).toBeVisible();
        await expect(error).toContainText(says);
        await expect(error).not.toContainText(/\bat .+:\d+:\d+/);
        await expect(page.getByTestId("pad")).toBeVisible();
      });
    }
  },
);

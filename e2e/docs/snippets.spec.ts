import { transform } from "esbuild";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";
import { allSnippets, type Snippet } from "./snippets.js";

/** The models of the documentation, and those that stand in for them. */
const MODELS: Readonly<Record<string, string>> = {
  "/models/digits.onnx": MODEL_PATHS.digits,
  "/models/encoder.onnx": MODEL_PATHS["text-encoder"],
};

test("the snippets of the documentation run", async ({ page, home }) => {
  const snippets = allSnippets().filter(({ runs }) => runs);
  expect(snippets.length).toBeGreaterThan(15);
  await page.goto(`${home.url}/snippets.html`);
  await page.waitForFunction(() => "snippets" in window);
  for (const snippet of snippets) {
    await test.step(`${snippet.page}:${snippet.line}`, async () => {
      await page.evaluate(() => window.snippets.prepare());
      await page.evaluate(await scriptOf(snippet));
      await page.evaluate(() => window.snippets.settle());
    });
  }
});

/** Returns the snippet as an expression of plain JavaScript. What it imports is a global. */
async function scriptOf({ code }: Snippet): Promise<string> {
  const { code: script } = await transform(
    code.replaceAll(/import (.*) from "framebatch";/g, "const $1 = framebatch;"),
    {
      loader: "ts",
      target: "es2022",
    },
  );
  const here = Object.entries(MODELS).reduce((text, [path, stand]) => text.replaceAll(path, stand), script);
  return `(async () => {\n${here}\n})()`;
}

import { readFileSync } from "node:fs";
import path from "node:path";
import { transform } from "esbuild";
import { serveGuidePage } from "../support/sites/guide-page.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";
import { allSnippets, ROOT, type Snippet } from "./snippets.js";

/** The addresses in the documentation, and those that stand in for them. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "https://inference.example": "/",
  "/models/digits.onnx": MODEL_PATHS.digits,
  "/models/encoder.onnx": MODEL_PATHS["text-encoder"],
  "/framebatch/": "/sdk/",
  "/npm/framebatch@0.1.0/dist/": "/sdk/",
};
const CDN = "https://cdn.example";

const running = allSnippets().filter(({ runs }) => runs);

test("the snippets of the documentation run", async ({ page, home }) => {
  const snippets = running.filter(({ language }) => language === "ts");
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

for (const { page: guide, line, code } of running.filter(({ language }) => language === "html")) {
  test(`the page at ${guide}:${line} predicts`, async ({ page, elsewhere }) => {
    const text = (written: string) => withAddresses(written).replaceAll(CDN, elsewhere.url);
    const headers = code.includes(CDN) ? { "Content-Security-Policy": text(policyOfCdn()) } : {};
    const site = await serveGuidePage(text(code), headers);
    await page.goto(site.url);
    await expect(page.locator("body")).toHaveText(/^(\s*-?\d[\d.e-]*){10}$/);
    await site.close();
  });
}

/** Returns the snippet as an expression of plain JavaScript. What it imports is a global. */
async function scriptOf({ code }: Snippet): Promise<string> {
  const script = code.replaceAll(/import (.*) from "framebatch(?:\/remote)?";/g, "const $1 = framebatch;");
  const plain = await transform(script, { loader: "ts", target: "es2022" });
  return `(async () => {\n${withAddresses(plain.code)}\n})()`;
}

function withAddresses(text: string): string {
  return Object.entries(ADDRESSES).reduce((done, [written, real]) => done.replaceAll(written, real), text);
}

/** The policy that the guide gives for a CDN. The guide's page has its scripts in its text, which a policy must allow. */
function policyOfCdn(): string {
  const guide = readFileSync(path.join(ROOT, "docs/install.md"), "utf8");
  const policy = /^default-src .*cdn\.example.*$/m.exec(guide)?.[0] ?? "no policy";
  return policy.replace("script-src ", "script-src 'unsafe-inline' ");
}

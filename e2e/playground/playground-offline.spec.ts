import { modelIsReady, openPlayground } from "../support/pages/playground.js";
import { servePlayground } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";
import { serve } from "../../scripts/static-server.mjs";

test("the second visit works offline in every scene, and does not hide another site at the same address", async ({
  page,
}) => {
  const site = await servePlayground();
  await openPlayground(page, site.url, "?tiles=1&moving=off");
  await expect.poll(() => page.evaluate(keptFiles)).toEqual(expect.arrayContaining(["/", "/manifest.webmanifest"]));
  await expect.poll(() => page.evaluate(keptFiles)).toContainEqual(expect.stringContaining("your-model-scene"));
  await expect.poll(() => page.evaluate(keptFiles)).toContainEqual(expect.stringMatching(/\.wasm$/));
  await site.close();
  await page.reload();
  await modelIsReady(page);
  await expect(page.getByTestId("prediction")).toContainText(/\d/);
  await page.getByTestId("scene-model").click();
  await expect(page.getByTestId("drop")).toBeVisible();
  const other = await serve({
    folders: {},
    port: Number(new URL(site.url).port),
    intercept: (_, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><title>Another site</title>");
      return true;
    },
  });
  await page.reload();
  await expect(page).toHaveTitle("Another site");
  await other.close();
});

test("the playground can be installed as an app", async ({ page, playground }) => {
  await page.goto(playground.url);
  const href = await page.locator("link[rel=manifest]").getAttribute("href");
  const manifest = await (await page.request.get(new URL(href ?? "", page.url()).href)).json();
  expect(manifest).toMatchObject({ name: "framebatch playground", display: "standalone" });
  for (const { src } of manifest.icons) {
    const icon = await page.request.get(new URL(src, page.url()).href);
    expect(icon.headers()["content-type"]).toBe("image/svg+xml");
  }
});

async function keptFiles(): Promise<string[]> {
  const cache = await caches.open(`framebatch-playground ${new URL(".", location.href).href}`);
  return (await cache.keys()).map(({ url }) => new URL(url).pathname);
}

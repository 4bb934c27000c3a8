import type { Page, PlaywrightWorkerArgs, PlaywrightWorkerOptions } from "@playwright/test";
import type { Site } from "../sites/site.js";

type Needs = PlaywrightWorkerArgs & Pick<PlaywrightWorkerOptions, "launchOptions"> & { readonly home: Site };

/** Returns the fixture of a page with `window.harness` in a browser of its own, which is started with these flags, too. */
export function ownHarness(...flags: readonly string[]) {
  return async ({ playwright, launchOptions, home }: Needs, use: (page: Page) => Promise<void>) => {
    const args = [...(launchOptions.args ?? []), ...flags];
    const browser = await playwright.chromium.launch({ ...launchOptions, args });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await use(page);
    await browser.close();
  };
}

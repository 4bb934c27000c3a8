import { expect, test as base, type Page } from "@playwright/test";
import type { ExecutionProvider } from "framebatch";
import { serveElsewhere, serveHome, servePlayground, type Site } from "./site.js";

export interface BrowserOptions {
  /** The backend that this project's browser offers. */
  provider: ExecutionProvider;
}

interface Sites {
  home: Site;
  elsewhere: Site;
  playground: Site;
}

interface Pages {
  /** A page with `window.harness` on it. */
  harness: Page;
  /** Fails a test whose page threw something that nobody caught. */
  nothingUncaught: void;
}

export const test = base.extend<BrowserOptions & Pages, Sites>({
  provider: ["wasm", { option: true }],
  home: [siteFixture(serveHome), { scope: "worker" }],
  elsewhere: [siteFixture(serveElsewhere), { scope: "worker" }],
  playground: [siteFixture(servePlayground), { scope: "worker" }],
  harness: async ({ page, home }, use) => {
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await use(page);
  },
  nothingUncaught: [
    async ({ page }, use) => {
      const uncaught: string[] = [];
      page.on("pageerror", (error) => uncaught.push(String(error)));
      await use();
      expect(uncaught).toEqual([]);
    },
    { auto: true },
  ],
});

/** Tests that `npm test` leaves out, and `npm test -- --all` does not: each has a shorter sister. */
export const LONG = "@long";

/** Tests that are asked on WASM, and of a GPU in software only by `npm test -- --all`: it takes its time. */
export const SLOW_ON_GPU = "@slow-gpu";

export { expect };

function siteFixture(open: () => Promise<Site>) {
  return async ({}, use: (site: Site) => Promise<void>) => {
    const site = await open();
    await use(site);
    await site.close();
  };
}

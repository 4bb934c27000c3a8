import process from "node:process";
import { expect, test as base, type Page } from "@playwright/test";
import type { TestedProvider } from "./tested-provider.js";
import { closeOthers, openFrom, openOpener } from "./pages/shared-context.js";
import {
  serveDocumentation,
  serveElsewhere,
  serveExamples,
  serveHome,
  serveIsolated,
  servePlayground,
  type Site,
} from "./sites/site.js";

export interface BrowserOptions {
  /** The backend that the browser of this project offers. */
  provider: TestedProvider;
}

interface Shared {
  home: Site;
  elsewhere: Site;
  isolated: Site;
  playground: Site;
  documentation: Site;
  examples: Site;
  /** The page that opens all other pages. */
  opener: Page;
}

interface Pages {
  /** A page with `window.harness`. */
  harness: Page;
}

/**
 * All tests of a worker share one browser context, which is cleared after each test. With a new renderer for each test,
 * which compiles ONNX Runtime again, the tests take three times as long. A test that needs another browser launches it.
 */
export const test = base.extend<Pages, BrowserOptions & Shared>({
  provider: ["wasm", { option: true, scope: "worker" }],
  home: [siteFixture(serveHome), { scope: "worker" }],
  elsewhere: [siteFixture(serveElsewhere), { scope: "worker" }],
  isolated: [siteFixture(serveIsolated), { scope: "worker" }],
  playground: [siteFixture(servePlayground), { scope: "worker" }],
  documentation: [siteFixture(serveDocumentation), { scope: "worker" }],
  examples: [siteFixture(serveExamples), { scope: "worker" }],
  opener: [
    async ({ browser, home, provider }, use) => {
      const opener = await openOpener(browser, home.url, provider);
      await use(opener);
      await opener.context().close();
    },
    { scope: "worker" },
  ],
  context: async ({ opener }, use) => {
    await use(opener.context());
    await closeOthers(opener);
  },
  /** Fails a test whose page has an uncaught error. */
  page: async ({ context, opener }, use) => {
    const page = await openFrom(opener, context);
    const uncaught: string[] = [];
    page.on("pageerror", (error) => uncaught.push(String(error)));
    await use(page);
    expect(uncaught).toEqual([]);
  },
  harness: async ({ page, home }, use) => {
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await use(page);
  },
});

/** Whether `npm test -- --all` runs the tests. */
export const IS_COMPLETE = process.env["FRAMEBATCH_ALL"] !== undefined;

/**
 * Tests that only `npm test -- --all` runs. `npm test` covers the same code by a shorter test, by a unit test on the real ONNX
 * Runtime, or by the simulation of the whole system, and keeps one page for each thing that only a browser can show.
 */
export const LONG = "@long";

/**
 * Tests that `npm test` runs only on WASM, because they are slow on a GPU in software. `npm test -- --all` runs both.
 */
export const SLOW_ON_GPU = "@slow-gpu";

export { expect };

function siteFixture(open: () => Promise<Site>) {
  return async ({}, use: (site: Site) => Promise<void>) => {
    const site = await open();
    await use(site);
    await site.close();
  };
}

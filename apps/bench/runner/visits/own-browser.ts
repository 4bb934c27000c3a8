import { chromium, type Browser, type Page } from "@playwright/test";
import { flagsFor } from "./browser.js";
import { within } from "./within.js";

/** The longest time for what a page measures, in ms: many times what it takes on an idle machine. */
const LIMIT_MS = 10 * 60_000;

/**
 * Opens a page in a browser of its own, and measures on it.
 * @param name the page, and what it puts on `window`
 */
export async function inOwnBrowser<Value>(
  executablePath: string,
  url: string,
  name: "engines" | "streams" | "groups" | "texts" | "ledger",
  measure: (page: Page, browser: Browser) => Promise<Value>,
): Promise<Value> {
  const browser = await chromium.launch({ executablePath, args: [...flagsFor("wasm")] });
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/${name}.html`);
    await page.waitForFunction((wanted) => wanted in window, name);
    return await within(measure(page, browser), LIMIT_MS);
  } finally {
    await browser.close();
  }
}

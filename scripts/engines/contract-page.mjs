import { Problem } from "../workspace.mjs";
import { chromium } from "./chromium.mjs";
import { locate } from "./engine.mjs";
import { openPage, serveContract } from "./contract.mjs";

/**
 * Evaluates an expression in the contract page, in a Chromium of its own, and parses the result. Requires the build.
 *
 * @param {string} expression an expression whose promise resolves with JSON
 */
export async function inContractPage(expression) {
  const { paths, missing } = await locate(chromium);
  if (missing.length > 0)
    throw new Problem("Chromium was not found. Install it, or set FRAMEBATCH_CHROMIUM to its path.");
  const site = await serveContract();
  const browser = await chromium.open(paths);
  try {
    const tab = await browser.openTab();
    await openPage(tab, site.url);
    return JSON.parse(await tab.ask(expression));
  } finally {
    await browser.close();
    await site.close();
  }
}

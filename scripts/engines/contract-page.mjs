import { Problem } from "../workspace.mjs";
import { chromium } from "./chromium.mjs";
import { locate } from "./engine.mjs";
import { openPage, serveContract } from "./contract.mjs";

/**
 * What an expression gives, parsed, in the contract's page in a Chromium of its own. Needs the build.
 *
 * @param {string} expression whose promise gives JSON
 */
export async function inContractPage(expression) {
  const { paths, missing } = await locate(chromium);
  if (missing.length > 0)
    throw new Problem("No Chromium was found: install one, or set FRAMEBATCH_CHROMIUM to its path.");
  const site = await serveContract();
  const tab = await chromium.open(paths);
  try {
    await openPage(tab, site.url);
    return JSON.parse(await tab.ask(expression));
  } finally {
    await tab.close();
    await site.close();
  }
}

import type { Page } from "@playwright/test";
import type { Verdict } from "../engines/promise.js";

/** Opens the page of the engine tests. */
export async function openContract(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/contract.html`);
  await page.waitForFunction(() => "contract" in window);
}

/** Runs the engine tests whose title `isChosen` selects, all on one page. Returns their verdicts. */
export async function keepPromises(
  page: Page,
  url: string,
  isChosen: (promise: string) => boolean,
): Promise<Verdict[]> {
  await openContract(page, url);
  const promises: string[] = JSON.parse(await page.evaluate(() => window.contract.promises()));
  const chosen = [...promises.entries()].filter(([, promise]) => isChosen(promise)).map(([index]) => index);
  const verdicts = await page.evaluate(async (indices) => {
    const all: string[] = [];
    for (const index of indices) all.push(await window.contract.keep(index));
    return all;
  }, chosen);
  return verdicts.map((verdict): Verdict => JSON.parse(verdict));
}

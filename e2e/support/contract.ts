import type { Page } from "@playwright/test";

/** Opens the page of the engine tests. */
export async function openContract(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/contract.html`);
  await page.waitForFunction(() => "contract" in window);
}

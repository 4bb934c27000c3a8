import { axeViolations } from "../support/pages/axe.js";
import { openPlayground } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

test(
  "a sweep names the callers from which batching pays, and compares settings",
  { tag: LONG },
  async ({ page, playground }) => {
    await openPlayground(page, playground.url, "?tiles=16&moving=off");
    await page.getByTestId("sweep-start").click();
    await expect(page.getByTestId("sweep-progress")).toContainText("of 6");
    await expect(page.getByTestId("compare")).toBeDisabled();
    await expect(page.getByTestId("sweep-result-details")).toBeVisible();
    await expect(page.getByTestId("sweep-words")).toContainText(/^Batching (pays|seems to pay) /);
    await expect(page.getByTestId("sweep-result-details").locator("tbody tr")).toHaveCount(2);
    await expect(page.getByTestId("sweep-result-details")).toContainText("Batches when the worker is free");
    await expect(page.getByTestId("error")).toBeHidden();
    expect(await axeViolations(page)).toEqual([]);
    // Each variant has a worker only while it is measured.
    await expect.poll(() => page.workers().length).toBeLessThanOrEqual(2);
  },
);

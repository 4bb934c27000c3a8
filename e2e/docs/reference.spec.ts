import { expect, test } from "../support/test.js";

test("the playground serves the reference and the guides, and one search finds both", async ({ page, playground }) => {
  await page.goto(`${playground.url}/docs/`);
  await expect(page.getByRole("heading", { level: 1, name: "Get started" })).toBeVisible();
  await page.keyboard.press("/");
  const search = page.getByRole("combobox");
  await search.fill("padding");
  const results = page.locator("#tsd-search-results li");
  await expect(results.filter({ hasText: "PaddingOptions" }).first()).toBeVisible();
  await search.fill("recipes");
  await results.filter({ hasText: "Recipes" }).first().click();
  await expect(page.getByRole("heading", { name: "Cross-origin isolation" })).toBeVisible();
});

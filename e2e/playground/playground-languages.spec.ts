import type { Page } from "@playwright/test";
import { openPlayground } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const LINES =
  "Where does the next train to the coast leave?\nWo fährt der nächste Zug an die Küste ab?\n\n12345\n次の電車はどこから出ますか";

// Without motion, the table scrolls only when a test scrolls it.
const RESTING = "?scene=languages&moving=off";

test("typed, visible and pasted texts show their language", { tag: LONG }, async ({ page, playground }) => {
  await openPlayground(page, playground.url, RESTING);
  await test.step("every keystroke updates the language of the typed text", async () => {
    const field = page.getByTestId("typed-text");
    await field.fill("");
    await expect(page.getByTestId("typed-language")).toHaveText("–");
    await field.fill("hello");
    await expect(page.getByTestId("typed-language")).toHaveText("Too short to tell");
    await field.pressSequentially("Jeder Mensch hat einen Namen");
    await expect(page.getByTestId("typed-language")).toHaveText("Deutsch");
    await field.fill("Каждый вечер мы читаем книгу на русском языке");
    await expect(page.getByTestId("typed-language")).toHaveText("Русский");
  });
  await test.step("rows that scroll into view show their language, and only the visible ones of thousands exist", async () => {
    const box = page.getByTestId("text-rows");
    await expect(rowsInState(page, "waiting")).toHaveCount(0);
    for (let step = 1; step <= 20; step++) {
      await box.evaluate((element, share) => element.scrollTo(0, share * element.scrollHeight), step / 20);
    }
    await expect(page.getByTestId("text-table").locator(".text-row")).toHaveCount(64);
    await expect(page.locator(".text-row").last()).toHaveAttribute("aria-rowindex", await lastRow(page));
    await expect(rowsInState(page, "waiting")).toHaveCount(0);
  });
  await test.step("a share of 100 % stays in one line on phones", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const share = page.locator(".text-share").first();
    const heights = await share.evaluate((cell) => {
      const number = [...cell.childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE);
      return ["9 %", "100 %"].map((text) => {
        if (number !== undefined) number.nodeValue = text;
        return cell.clientHeight;
      });
    });
    expect(heights[1]).toBe(heights[0]);
    await page.setViewportSize({ width: 1100, height: 900 });
  });
  await test.step("the figures stay in their column beside the table", async () => {
    for (const width of [1440, 1180, 900, 899, 720, 680]) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await stickingOut(page), `${width} px`).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1100, height: 900 });
  });
  await test.step("pasted lines replace the table until the user restores the texts", async () => {
    await page.getByTestId("typed-text").evaluate((field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, LINES);
    const rows = page.locator(".text-row");
    await expect(rows).toHaveCount(4);
    await expect(rows.nth(0)).toContainText("English");
    await expect(rows.nth(1)).toContainText("German");
    await expect(rows.nth(2)).toHaveText("312345");
    await expect(rows.nth(3)).toContainText("Japanese");
    await expect(page.getByTestId("tally")).toHaveText("3 of 3 texts classified");
    await page.getByTestId("forget-pasted").click();
    await expect(rows).toHaveCount(64);
  });
});

test("all texts run as one stream, with more than 85 % correct", { tag: LONG }, async ({ page, playground }) => {
  await openPlayground(page, playground.url, RESTING);
  await page.getByTestId("read-all").click();
  await expect(page.getByTestId("sweep-result")).toContainText(/per second/, { timeout: 60_000 });
  const [, right] = /, (\d+)\s%/.exec((await page.getByTestId("tally").textContent()) ?? "") ?? [];
  expect(Number(right)).toBeGreaterThan(85);
});

function rowsInState(page: Page, state: string) {
  return page.locator(`.text-row[data-state="${state}"]`);
}

async function lastRow(page: Page): Promise<string> {
  return (await page.getByTestId("text-table").getAttribute("aria-rowcount")) ?? "";
}

/** Gives each figure the longest text that it can have, and returns how far one sticks out of its column, in px. */
function stickingOut(page: Page): Promise<number> {
  return page.locator(".live").evaluate((column) => {
    const longest = ["12,345", "99.9", "99.9\u00A0ms"];
    const ends = [...column.querySelectorAll("dd")].map((shown, index) => {
      shown.textContent = longest[index] ?? "";
      const text = document.createRange();
      text.selectNodeContents(shown);
      return text.getBoundingClientRect().right;
    });
    return Math.max(...ends) - column.getBoundingClientRect().right;
  });
}

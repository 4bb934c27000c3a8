import type { Page } from "@playwright/test";
import { PLAYGROUND_SITE } from "../../scripts/playground-site.mjs";
import { serve } from "../../scripts/static-server.mjs";
import { axeViolations, colorViolations } from "../support/pages/axe.js";
import { expect, IS_COMPLETE, LONG, test } from "../support/test.js";

/** Pages of each kind: text, wide tables, a program, a long page of an export, a source, the list of exports. */
const KINDS = [
  "index.html",
  "options.html",
  "what-can-go-wrong.html",
  "browsers.html",
  "results.html",
  "guides/search-while-indexing.html",
  "api/framebatch/interfaces/BatchedModel.html",
  "shared-tabs.html",
  "api/index.html",
  "source/apps/examples/react/use-prediction.ts.html",
];

/** Without `--all`, these pages are left out: others have text and wide tables too. */
const LIKE_OTHERS = ["what-can-go-wrong.html", "browsers.html", "shared-tabs.html"];

/** Without `--all`, axe sees one page of each kind whose parts no other has. */
const SEEN_BY_AXE = [
  "index.html",
  "options.html",
  "guides/search-while-indexing.html",
  "api/framebatch/interfaces/BatchedModel.html",
  "source/apps/examples/react/use-prediction.ts.html",
];

/** What readers look for, and the page that must come first. */
const SEARCHES = [
  ["install", "Install and build"],
  ["safari", "Browsers"],
  ["iphone", "Browsers"],
  ["typing", "Typing while indexing"],
  ["scikit", "A table"],
  ["zipmap", "A table|What a model file may have"],
  ["silero", "A page that listens|Models with state"],
  ["transformers", "transformers.js"],
  ["memory", "1 GB|memory|Memory"],
  ["typescript", "Types|TypeScript"],
  ["padding", "Items of different lengths|Options|Handlers"],
  ["generate", "Many texts at once"],
] as const;

test("the search finds guides first, what readers look for, and each member once", async ({ page, documentation }) => {
  await page.goto(`${documentation.url}/docs/`);
  await page.keyboard.press("/");
  const search = page.getByRole("combobox", { name: "Search" });
  await expect(search).toBeFocused();
  const results = page.getByRole("option");
  for (const [text, first] of SEARCHES) {
    await test.step(text, async () => {
      await search.fill(text);
      await expect.soft(results.first(), text).toContainText(new RegExp(first));
    });
  }
  await search.fill("paddingWaste");
  await expect(results.filter({ hasText: /› paddingWaste/ })).toHaveCount(1);
  await search.fill("PaddingOptions");
  await expect(results.locator("strong", { hasText: "PaddingOptions" }).first()).toBeVisible();
  await search.press("Escape");
  await expect(page.getByRole("listbox")).toBeHidden();
});

test("the keyboard walks the results, and Enter opens one", async ({ page, documentation }) => {
  await page.goto(`${documentation.url}/docs/guides/photo-grid.html`);
  const search = page.getByRole("combobox", { name: "Search" });
  await search.fill("photos");
  await expect(page.getByRole("option", { selected: true })).toHaveCount(1);
  await search.press("ArrowDown");
  const chosen = page.getByRole("option", { selected: true }).getByRole("link", { includeHidden: true });
  const href = await chosen.evaluate((link: HTMLAnchorElement) => link.href);
  await search.press("Enter");
  await expect(page).toHaveURL(href);
});

test("each page leads to the next and the previous one, and to the playground", async ({ page, documentation }) => {
  await page.goto(`${documentation.url}/docs/`);
  await page.getByRole("link", { name: /^Next/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Install and build");
  await page.getByRole("link", { name: /^Previous/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Get started");
  await page.getByRole("link", { name: "Playground", exact: true }).click();
  await expect(page).toHaveTitle(/playground/);
});

/** An address that the site does not have, in a folder that it does not have. */
const NESTED = "docs/guides/nowhere/index.html";

test("an address that the site does not have shows a page whose masthead, search and links work", async ({ page }) => {
  const site = await serve(PLAYGROUND_SITE);
  try {
    for (const missing of IS_COMPLETE ? ["nowhere", NESTED] : [NESTED]) {
      const response = await page.goto(`${site.url}/${missing}`);
      expect.soft(response?.status()).toBe(404);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("No such page");
      for (const width of [1440, 820, 390, 320]) expect.soft(await overflowAt(page, width), `${width}`).toBe(0);
      expect.soft(await axeViolations(page)).toEqual([]);
      await page.getByRole("combobox", { name: "Search" }).fill("install");
      await page.getByRole("option").first().click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Install and build");
      await page.goBack();
      await page.getByRole("main").getByRole("link", { name: "Playground" }).click();
      await expect(page).toHaveTitle(/playground/);
    }
  } finally {
    await site.close();
  }
});

test("without JavaScript the playground says what framebatch is, and leads to pages that can be read", async ({
  browser,
  documentation,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${documentation.url}/index.html`);
  await expect(page.getByRole("main")).toContainText("framebatch runs ONNX models in a browser tab");
  for (const width of [1440, 820, 390, 320])
    expect.soft(await overflowAt(page, width), `${width} px`).toBeLessThanOrEqual(0);
  const links = await page
    .getByRole("link")
    .evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
  expect(links).toHaveLength(4);
  for (const link of links) {
    await page.goto(new URL(link, `${documentation.url}/index.html`).href);
    await expect.soft(page.getByRole("heading", { level: 1 }), link).not.toBeEmpty();
    await expect.soft(page.getByRole("main").getByRole("paragraph").first(), link).toBeVisible();
  }
  await context.close();
});

test(
  "buttons cover no code, titles break between words, and the masthead of phones has one row above the search",
  { tag: LONG },
  async ({ page, documentation }) => {
    for (const width of [1280, 820, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      for (const kind of KINDS) {
        await page.goto(`${documentation.url}/docs/${kind}`);
        expect.soft(await coveredCode(page), `${kind}, ${width}`).toEqual([]);
        expect.soft(await brokenWords(page), `${kind}, ${width}`).toEqual([]);
      }
      const tops = await page
        .locator(".masthead :is(.wordmark, .masthead-links, .segments)")
        .evaluateAll((parts) =>
          parts.map((part) => part.getBoundingClientRect()).map(({ y, height }) => y + height / 2),
        );
      expect.soft(Math.max(...tops) - Math.min(...tops), `${width}`).toBeLessThan(10);
    }
    await page.setViewportSize({ width: 1100, height: 900 });
  },
);

test("code can be copied, and the theme is that of the playground", async ({ page, documentation }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${documentation.url}/docs/`);
  await page.getByRole("button", { name: "Copy" }).first().click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("install");
  await page.getByText("Dark", { exact: true }).click();
  await page.goto(`${documentation.url}/docs/options.html`);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  expect(await page.evaluate(() => localStorage.getItem("framebatch-theme"))).toBe("dark");
});

test("a theme that is chosen in one tab is that of the others", async ({ page, documentation }) => {
  const playground = await page.context().newPage();
  await playground.goto(`${documentation.url}/`);
  await page.goto(`${documentation.url}/docs/`);
  for (const [theme, tab, other] of [
    ["Dark", page, playground],
    ["Light", playground, page],
  ] as const) {
    await tab.bringToFront();
    await tab.getByText(theme, { exact: true }).click();
    await expect(other.locator("html")).toHaveAttribute("data-theme", theme.toLowerCase());
    await expect(other.getByRole("radio", { name: theme })).toBeChecked();
  }
});

test("the first program runs in place", async ({ page, documentation }) => {
  await page.goto(`${documentation.url}/docs/`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("article output")).toContainText("image float32 [null,1,28,28] 0");
});

test("no page scrolls sideways, and axe finds nothing, in light and dark", async ({ page, documentation }) => {
  for (const kind of KINDS) {
    if (!IS_COMPLETE && LIKE_OTHERS.includes(kind)) continue;
    await test.step(kind, async () => {
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${documentation.url}/docs/${kind}`);
      if (IS_COMPLETE || SEEN_BY_AXE.includes(kind)) expect.soft(await axeViolations(page), kind).toEqual([]);
      for (const width of IS_COMPLETE ? [320, 390, 820] : [320]) {
        expect.soft(await overflowAt(page, width), `${kind}, ${width}`).toBe(0);
        expect.soft(await narrowestSentence(page), `${kind}, ${width}`).toBeGreaterThan(150);
        expect.soft(await brokenIntervals(page), `${kind}, ${width}`).toEqual([]);
      }
      // A source has the colors of text, of links and of code.
      if (!IS_COMPLETE && kind !== KINDS.at(-1)) return;
      expect.soft(await axeViolations(page), `${kind}, narrow`).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect.soft(await colorViolations(page), `${kind}, dark`).toEqual([]);
    });
  }
  await page.setViewportSize({ width: 1100, height: 900 });
});

test("the examples lead back to the site, fit phones, and pass axe, in light and dark", async ({
  page,
  documentation,
}) => {
  // All have one style sheet.
  for (const example of IS_COMPLETE ? ["", "react/", "moving/", "large/"] : ["", "react/"]) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${documentation.url}/examples/${example}`);
    expect.soft(await axeViolations(page), example).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect.soft(await colorViolations(page), `${example}, dark`).toEqual([]);
    expect.soft(await overflowAt(page, 320), example).toBe(0);
    await page.setViewportSize({ width: 1100, height: 900 });
  }
  await page.getByRole("link", { name: "Examples" }).click();
  await page.getByRole("link", { name: "Docs, with the source" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Examples");
});

/** Returns the first line of each block of code that a button overlaps, as far as it has text there. */
function coveredCode(page: Page): Promise<(string | null)[]> {
  return page.locator(".code").evaluateAll((blocks) => {
    const overlaps = (one: DOMRect, other: DOMRect): boolean =>
      one.right > other.left && one.left < other.right && one.bottom > other.top && one.top < other.bottom;
    const isCovered = (block: Element): boolean => {
      const text = document.createRange();
      text.selectNodeContents(block.querySelector("code") ?? block);
      const buttons = [...block.querySelectorAll("button")].map((button) => button.getBoundingClientRect());
      return [...text.getClientRects()].some((line) => buttons.some((button) => overlaps(line, button)));
    };
    return blocks.filter((block) => isCovered(block)).map((block) => block.textContent.slice(0, 40));
  });
}

/** Returns the words of titles and heads of columns that stand on several lines. A type's parameters are words of their own. */
function brokenWords(page: Page): Promise<string[]> {
  return page.locator("h1, th").evaluateAll((titles) => {
    const linesOf = (text: Text, start: number, end: number): number => {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, end);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    };
    const brokenIn = (text: Text): string[] =>
      [...text.data.matchAll(/<?[^\s<]+/g)]
        .filter(({ index, 0: word }) => linesOf(text, index, index + word.length) > 1)
        .map(([word]) => word);
    const textsIn = (node: Node): Text[] =>
      node instanceof Text ? [node] : [...node.childNodes].flatMap((child) => textsIn(child));
    return titles.flatMap((title) => textsIn(title)).flatMap((text) => brokenIn(text));
  });
}

async function overflowAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 844 });
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Returns the width of the narrowest cell of a table that holds a sentence, in px; infinite if there is none. */
function narrowestSentence(page: Page): Promise<number> {
  return page.locator("article td").evaluateAll((cells) => {
    const sentences = cells.filter((cell) => (cell.textContent ?? "").length > 50);
    return Math.min(...sentences.map((cell) => cell.getBoundingClientRect().width));
  });
}

/** Returns the intervals, such as "0.97–1.06", that stand on two lines. */
function brokenIntervals(page: Page): Promise<string[]> {
  return page.locator("article td").evaluateAll((cells) =>
    cells.flatMap((cell) =>
      [...cell.childNodes].flatMap((node) =>
        [...(node.textContent ?? "").matchAll(/[\d.]+\u2060?–\u2060?[\d.]+/g)].flatMap(({ 0: text, index }) => {
          if (node.nodeType !== Node.TEXT_NODE) return [];
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + text.length);
          return range.getClientRects().length > 1 ? [text] : [];
        }),
      ),
    ),
  );
}

import { readFile } from "node:fs/promises";
import { chromium, type Page } from "@playwright/test";
import { flagsFor } from "../../bench/runner/browser.js";
import type { Gains } from "../src/measure/gain.js";
import type { Verdict } from "../src/measure/outcome.js";
import type { CheckedModel } from "./checked-models.js";

/** Time limit of a comparison, which extends itself while it is unclear, in ms. */
const LIMIT_MS = 150_000;

/** What the report of the page says. */
export interface PageOutcome {
  readonly verdict: Verdict;
  readonly gains: Gains;
}

/** Where the playground runs. */
export interface PagePlace {
  readonly executablePath: string;
  /** URL of the built playground. */
  readonly url: string;
}

/** Opens a model in the playground, compares as a visitor would, and reads the report that the page offers. */
export async function pageOutcome(model: CheckedModel, { executablePath, url }: PagePlace): Promise<PageOutcome> {
  const browser = await chromium.launch({ executablePath, args: [...flagsFor("wasm")] });
  try {
    const page = await browser.newPage();
    const query = new URLSearchParams({
      scene: "model",
      model: model.path,
      tiles: String(model.callers),
      backend: "wasm",
      moving: "off",
    });
    await page.goto(`${url}/?${query}`);
    await page.getByTestId("backend").getByText(/wasm/i).first().waitFor();
    await setSizes(page, model.sizes ?? {});
    return await compare(page);
  } finally {
    await browser.close();
  }
}

async function setSizes(page: Page, sizes: Readonly<Record<string, number>>): Promise<void> {
  for (const [label, size] of Object.entries(sizes)) {
    const field = page.getByTestId("inputs").getByLabel(label).first();
    await field.fill(String(size));
    await field.blur();
  }
}

async function compare(page: Page): Promise<PageOutcome> {
  await page.getByTestId("compare").click();
  const report = page.getByTestId("report");
  await report.waitFor({ timeout: LIMIT_MS });
  const downloading = page.waitForEvent("download");
  await report.click();
  return JSON.parse(await readFile(await (await downloading).path(), "utf8"));
}

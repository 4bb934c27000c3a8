import { readFile } from "node:fs/promises";
import { chromium, type Page } from "@playwright/test";
import { flagsFor } from "../../bench/runner/visits/browser.js";
import type { Gains } from "../src/measure/gain.js";
import type { Verdict } from "../src/measure/outcome.js";
import type { CheckedModel } from "./checked-models.js";
import { contradictionsOf, type Told } from "./contradictions.js";

/** Time limit of an answer, in ms: what the page promises, and as much again for a machine under load. */
const LIMIT_MS = 60_000;

/** What the report of the page says. */
export interface PageReport {
  readonly verdict: Verdict & {
    readonly headline: string;
    readonly sentence: string;
    readonly facts: readonly string[];
  };
  readonly gains: Gains;
}

/** What the page says about a model. */
export interface PageOutcome {
  /** `null` if the page answered without a measurement. */
  readonly report: PageReport | null;
  readonly headline: string;
  /** From the click to the answer, in ms. */
  readonly answerMs: number;
  /** Where two places of the page say different things. */
  readonly contradictions: readonly string[];
}

/** Where the playground runs. */
export interface PagePlace {
  readonly executablePath: string;
  /** URL of the built playground. */
  readonly url: string;
}

/** Opens a model in the playground, measures as a visitor would, and reads everything that the page offers. */
export async function pageOutcome(model: CheckedModel, { executablePath, url }: PagePlace): Promise<PageOutcome> {
  const browser = await chromium.launch({ executablePath, args: [...flagsFor("wasm")] });
  try {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
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
    return await measure(page);
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

/** Resolves when the card has an answer. Rejects with what it shows if it has none in time. */
async function answered(page: Page): Promise<void> {
  const card = page.getByTestId("verdict-card");
  try {
    await page.locator('[data-testid="verdict-card"][data-phase="done"]').waitFor({ timeout: LIMIT_MS });
  } catch (cause) {
    const shown = `${await card.getAttribute("data-phase")}, "${await card.innerText()}"`;
    throw new Error(`expected an answer within ${LIMIT_MS / 1000} s, got ${shown}`, { cause });
  }
}

async function measure(page: Page): Promise<PageOutcome> {
  const startMs = performance.now();
  await page.getByTestId("compare").click();
  await answered(page);
  const answerMs = performance.now() - startMs;
  const headline = await textOf(page, "verdict-card", "headline");
  if ((await page.getByTestId("report").count()) === 0) return { report: null, headline, answerMs, contradictions: [] };
  const report = await downloadReport(page);
  return { report, headline, answerMs, contradictions: contradictionsOf(report, await readAll(page)) };
}

async function downloadReport(page: Page): Promise<PageReport> {
  const downloading = page.waitForEvent("download");
  await page.getByTestId("report").click();
  return JSON.parse(await readFile(await (await downloading).path(), "utf8"));
}

/** Reads the card, the details, the image, the race, and at last the landing of the link. */
async function readAll(page: Page): Promise<Told> {
  const card = await readCard(page, "verdict-card");
  const details = await textOf(page, "comparison");
  await page.getByTestId("show-image").click();
  const image = (await page.getByTestId("result-image").getAttribute("alt")) ?? "";
  await page.getByTestId("show-race").click();
  await page
    .getByTestId("race-result")
    .getByText(/Batching on/)
    .waitFor();
  const answers = async (lane: string) => Number.parseInt((await textOf(page, `race-${lane}`)).replaceAll(",", ""), 10);
  const race = { batched: await answers("batched"), single: await answers("single") };
  await page.getByTestId("copy-link").click();
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
  return { card, details, image, race, landing: await readCard(page, "shared") };
}

async function readCard(page: Page, card: string): Promise<Told["card"]> {
  return {
    headline: await textOf(page, card, "headline"),
    sentence: await textOf(page, card, "verdict"),
    facts: await textOf(page, card, "verdict-facts"),
  };
}

async function textOf(page: Page, ...testIds: readonly string[]): Promise<string> {
  const element = testIds.reduce((parent, id) => parent.locator(`[data-testid="${id}"]`), page.locator("body"));
  return ((await element.textContent()) ?? "").replaceAll(/\s+/g, " ").trim();
}

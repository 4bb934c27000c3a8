import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { FIRST_ANSWER_HASH, type FirstAnswer } from "../../src/ways/first-answer-protocol.js";
import type { FirstPredictionSpec } from "../../src/measure/first-prediction.js";
import type { Training, TrainingSpec } from "../../src/ways/training.js";
import { exposeTaskDuration } from "../visits/browser.js";
import { within } from "../visits/within.js";

export interface BrowserOptions {
  readonly executablePath: string;
  readonly flags: readonly string[];
}

/** How long a page may take to load and to open models, beside its own limit, in ms. */
const GRACE_MS = 30_000;

/** Uses a browser for visits that each have a new profile. */
export async function withBrowser<Value>(
  { executablePath, flags }: BrowserOptions,
  use: (browser: Browser) => Promise<Value>,
): Promise<Value> {
  const browser = await chromium.launch({ executablePath, args: [...flags] });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Makes one visit in a new profile, in memory: nothing is read from a cache on a first visit. */
export async function inNewProfile<Value>(
  browser: Browser,
  visit: (profile: BrowserContext) => Promise<Value>,
): Promise<Value> {
  const profile = await browser.newContext();
  try {
    return await visit(profile);
  } finally {
    await profile.close();
  }
}

/** Uses a profile on disk, as users have it, for several visits. */
export async function withProfile<Value>(
  { executablePath, flags }: BrowserOptions,
  use: (profile: BrowserContext) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(path.join(tmpdir(), "framebatch-profile-"));
  const profile = await chromium.launchPersistentContext(folder, { executablePath, args: [...flags] });
  try {
    return await use(profile);
  } finally {
    await profile.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks a new page for one answer. Rejects after `limitMs`. */
export function askOnce(
  profile: BrowserContext,
  url: string,
  spec: FirstPredictionSpec,
  limitMs: number,
): Promise<FirstAnswer> {
  return onPage(profile, limitMs, async (page) => {
    await page.goto(url + FIRST_ANSWER_HASH + encodeURIComponent(JSON.stringify(spec)));
    const answer: Promise<FirstAnswer> = page.evaluate(() => window.bench.firstAnswer());
    return answer;
  });
}

/** Lets framebatch measure its ways to run on a new page. */
export function trainOn(profile: BrowserContext, url: string, spec: TrainingSpec): Promise<Training> {
  return onPage(profile, spec.limitMs + GRACE_MS, async (page) => {
    await exposeTaskDuration(page);
    await page.goto(url);
    const training: Promise<Training> = page.evaluate((wanted) => window.bench.train(wanted), spec);
    return training;
  });
}

async function onPage<Value>(
  profile: BrowserContext,
  limitMs: number,
  use: (page: Page) => Promise<Value>,
): Promise<Value> {
  const page = await profile.newPage();
  try {
    return await within(use(page), limitMs);
  } finally {
    await page.close();
  }
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type BrowserContext } from "@playwright/test";
import type { FirstPredictionSpec } from "../../src/measure/first-prediction.js";
import type { Visit } from "./first-predictions.js";
import { within } from "./within.js";

/** The longest time to a first prediction, in ms. */
const LIMIT_MS = 120_000;

export interface VisitRequest {
  readonly executablePath: string;
  readonly flags: readonly string[];
  readonly url: string;
  /** Returns the bytes that the page's server has sent so far, without headers. */
  readonly servedBytes: () => number;
}

/**
 * Makes both visits with a profile on disk, as users have it. The cache of a private window rejects files as large as
 * ONNX Runtime's.
 */
export async function visitTwice(
  { executablePath, flags, ...request }: VisitRequest,
  spec: FirstPredictionSpec,
): Promise<readonly [Visit, Visit]> {
  const profile = await mkdtemp(path.join(tmpdir(), "framebatch-profile-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: [...flags] });
  try {
    return [await visitOnce(context, request, spec), await visitOnce(context, request, spec)];
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

async function visitOnce(
  context: BrowserContext,
  request: Pick<VisitRequest, "url" | "servedBytes">,
  spec: FirstPredictionSpec,
): Promise<Visit> {
  const page = await context.newPage();
  await page.goto(request.url);
  const servedBefore = request.servedBytes();
  const timing: Promise<number> = page.evaluate((wanted) => window.bench.timeFirstPrediction(wanted), spec);
  const ms = await within(timing, LIMIT_MS);
  const bytes = request.servedBytes() - servedBefore;
  await page.close();
  return { ms, bytes };
}

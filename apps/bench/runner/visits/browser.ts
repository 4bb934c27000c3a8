import { chromium, type Browser, type BrowserContext, type Page } from "@playwright/test";
import type { BenchPage } from "../../src/main.js";
import type { Backend, PageReport } from "../../src/results.js";
import type { RunSpec } from "../../src/spec.js";
import { problemOfAdapter, type Problem } from "./problem.js";
import type { SuiteCommand } from "./suite-command.js";
import { RunTimeout, within } from "./within.js";

const COMMON_FLAGS: readonly string[] = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // Measures memory immediately on request, not at the next garbage collection.
  "--enable-blink-features=ForceEagerMeasureMemory",
];

const WEBGPU_FLAGS: readonly string[] = ["--enable-unsafe-webgpu"];

/** How long the browser may take to offer an adapter, in ms. */
const ADAPTER_LIMIT_MS = 60_000;

/** The measurements of one page, and the browser that it ran in. */
export interface PageRun {
  readonly browser: string;
  readonly flags: readonly string[];
  readonly report: PageReport | null;
  readonly problem: Problem | null;
}

export interface BrowserRequest {
  readonly executablePath: string;
  readonly url: string;
  readonly spec: RunSpec;
  readonly requireHardware: boolean;
  readonly graceMs: number;
  readonly say: (text: string) => void;
}

/** Measures one page in a separate browser. Errors of the page do not reject; they become `problem`. */
export async function runPage(request: BrowserRequest): Promise<PageRun> {
  const flags = flagsFor(request.spec.backend);
  const browser = await chromium.launch({ executablePath: request.executablePath, args: [...flags] });
  try {
    const version = `Chromium ${browser.version()}`;
    const outcome = await measure(browser, request).catch((error: unknown) => failed(String(error)));
    return { browser: version, flags, ...outcome };
  } finally {
    await browser.close();
  }
}

export function flagsFor(backend: Backend): readonly string[] {
  const root = typeof process.getuid === "function" && process.getuid() === 0;
  return [...(root ? ["--no-sandbox"] : []), ...COMMON_FLAGS, ...(backend === "webgpu" ? WEBGPU_FLAGS : [])];
}

export type Outcome = Pick<PageRun, "report" | "problem">;

function failed(message: string): Outcome {
  return { report: null, problem: { message, isAbsence: false } };
}

/** Measures on a new page of a browser or of a profile. */
export async function measure(
  browser: Browser | BrowserContext,
  request: Omit<BrowserRequest, "executablePath">,
): Promise<Outcome> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.text().startsWith("bench: ")) request.say(message.text().slice("bench: ".length));
  });
  try {
    await exposeTaskDuration(page);
    await page.goto(request.url);
    const refusal = await refuseAdapter(page, request.spec.backend, request.requireHardware);
    return refusal === null ? await runWithin(page, request, errors) : { report: null, problem: refusal };
  } finally {
    await page.close();
  }
}

/** Gives the page the duration of its main-thread tasks, which only the browser's performance metrics contain. */
export async function exposeTaskDuration(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.exposeFunction("readTaskDurationMs", async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  });
}

async function refuseAdapter(page: Page, backend: Backend, requireHardware: boolean): Promise<Problem | null> {
  if (backend !== "webgpu") return null;
  const finding: ReturnType<BenchPage["findAdapter"]> = page.evaluate(() => window.bench.findAdapter());
  return problemOfAdapter(await within(finding, ADAPTER_LIMIT_MS), requireHardware);
}

/**
 * Returns whether a suite that asks for a GPU in hardware must not run here, and says why. A browser without WebGPU may run
 * the other backend.
 */
export async function refusesMachine({
  executablePath,
  urls,
  backends,
  requireHardware,
}: Pick<SuiteCommand, "executablePath" | "urls" | "backends" | "requireHardware">): Promise<boolean> {
  if (!requireHardware || !backends.includes("webgpu")) return false;
  const browser = await chromium.launch({ executablePath, args: [...flagsFor("webgpu")] });
  try {
    const page = await browser.newPage();
    await page.goto(urls.isolated);
    const problem = await refuseAdapter(page, "webgpu", requireHardware);
    if (problem === null || (problem.isAbsence && backends.length > 1)) return false;
    console.error(`  ${problem.message}`);
    return true;
  } finally {
    await browser.close();
  }
}

async function runWithin(
  page: Page,
  { spec, graceMs }: Pick<BrowserRequest, "spec" | "graceMs">,
  errors: readonly string[],
): Promise<Outcome> {
  const finished: ReturnType<BenchPage["run"]> = page.evaluate((wanted) => window.bench.run(wanted), spec);
  try {
    return { report: await within(finished, spec.budgetMs + graceMs), problem: null };
  } catch (error) {
    const why =
      error instanceof RunTimeout
        ? `did not end ${graceMs / 1000} s after its time was up`
        : `failed: ${String(error)}`;
    const report = await within(
      page.evaluate(() => window.bench.soFar()),
      5000,
    ).catch(() => null);
    return {
      report,
      problem: { message: [`${spec.backend}: the run ${why}.`, ...errors].join(" "), isAbsence: false },
    };
  }
}

import { fileURLToPath } from "node:url";
import type { Browser, CDPSession, Page } from "@playwright/test";
import type { CallTimes } from "../../src/ledger/main.js";
import type { Site } from "../../src/results.js";
import { median } from "../../src/statistics/quantile.js";
import { seededRandom, shuffled } from "../../src/statistics/random.js";
import { describeMachine } from "../visits/machine.js";
import { inOwnBrowser } from "../visits/own-browser.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { Accounts, BROWSER } from "./accounts.js";
import { ledgerMarkdown } from "./tables.js";
import { passagesOf, processorTimeOf, selfTimesOf, threadsOf, type TraceEvent } from "./trace.js";

const LANES = ["frame", "off", "dataloader", "hand-written"];
const MODELS = ["mlp-tiny", "mlp-784"];
const PAGES = 6;
/** The calls of each part of a page's visit. V8 has compiled what runs often long before the warm part begins. */
const CALLS = { cold: 300, warmUp: 1500, warm: 3000, traced: 2000, allocated: 2000 };
const TRACED = ["devtools.timeline", "v8", "disabled-by-default-v8.cpu_profiler", "__metadata"];
/** The mean distance of two sampled allocations, in bytes. */
const ALLOCATION_STEP = 4096;

/** The options of the command line, and the paths. */
export type LedgerCommand = Pick<
  SuiteCommand,
  "executablePath" | "urls" | "sites" | "pages" | "models" | "seed" | "command" | "resultsFolder" | "jsonFile"
>;

/** Medians of the passages of a call, in microseconds. */
export type Passage = "page" | "out" | "worker" | "back";

/** What a page has measured of one caller's calls. */
export interface LedgerPage {
  readonly site: Site;
  readonly model: string;
  readonly lane: string;
  /** Pages of one turn are measured one after the other, and compared with each other. */
  readonly turn: number;
  readonly cold: CallTimes;
  readonly warm: CallTimes;
  readonly passages: Readonly<Record<Passage, number>>;
  /** Processor time of each thread for a call, in microseconds, by account. */
  readonly accounts: Readonly<Record<"page" | "worker", Readonly<Record<string, number>>>>;
  /** Bytes allocated for a call on the page's JavaScript heap. */
  readonly allocatedBytes: number;
}

/**
 * Shows where the time of a lone call and its garbage go, in framebatch and in what a page would have by hand, each on several
 * pages that take turns. Writes the results as JSON and Markdown, and prints the Markdown.
 */
export async function runLedger(command: LedgerCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const random = seededRandom(command.seed);
  const accounts = new Accounts({
    assets: fileURLToPath(new URL("../../dist/assets/", import.meta.url)),
    dist: fileURLToPath(new URL("../../../../packages/framebatch/dist/", import.meta.url)),
  });
  const pages: LedgerPage[] = [];
  for (let turn = 0; turn < (command.pages ?? PAGES); turn++) {
    for (const model of command.models ?? MODELS) {
      for (const site of shuffled(command.sites, random)) {
        for (const lane of shuffled(LANES, random)) {
          console.error(`  turn ${turn + 1}, ${model}, ${site}: ${lane}`);
          pages.push({ site, model, lane, turn, ...(await measurePage(command, accounts, site, model, lane)) });
        }
      }
    }
  }
  const report = { format: 1, date, command: command.command, seed: command.seed, machine: describeMachine(), pages };
  await writeReport(command, "ledger", report, ledgerMarkdown(pages));
  return true;
}

type Measured = Pick<LedgerPage, "cold" | "warm" | "passages" | "accounts" | "allocatedBytes">;

function measurePage(
  { executablePath, urls, seed }: LedgerCommand,
  accounts: Accounts,
  site: Site,
  model: string,
  lane: string,
): Promise<Measured> {
  return inOwnBrowser(executablePath, urls[site], "ledger", async (page, browser) => {
    await page.evaluate(([name, of, from]) => window.ledger.open(name, of, from), [lane, model, seed] as const);
    const cold = await call(page, CALLS.cold);
    await call(page, CALLS.warmUp);
    const warm = await call(page, CALLS.warm);
    const allocatedBytes = (await allocated(page)) / CALLS.allocated;
    return { cold, warm, allocatedBytes, ...booked(await traced(browser, page), accounts) };
  });
}

function call(page: Page, count: number): Promise<CallTimes> {
  return page.evaluate((calls) => window.ledger.call(calls, 1), count);
}

/** Returns what Chromium traces during the calls. */
async function traced(browser: Browser, page: Page): Promise<readonly TraceEvent[]> {
  await browser.startTracing(page, { categories: TRACED });
  await call(page, CALLS.traced);
  const { traceEvents }: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse(
    String(await browser.stopTracing()),
  );
  return traceEvents;
}

function booked(events: readonly TraceEvent[], accounts: Accounts): Pick<Measured, "passages" | "accounts"> {
  const threads = threadsOf(events);
  const { page, out, worker, back } = passagesOf(events, threads);
  const ofThread = (thread: number): Record<string, number> => {
    const perCall: Record<string, number> = {};
    for (const [frame, us] of selfTimesOf(events, thread)) {
      const account = accounts.of(frame);
      if (account !== null) perCall[account] = (perCall[account] ?? 0) + us / CALLS.traced;
    }
    const scriptUs = Object.values(perCall).reduce((sum, us) => sum + us, 0);
    perCall[BROWSER] = processorTimeOf(events, thread) / CALLS.traced - scriptUs;
    return perCall;
  };
  // Where page and worker share memory, notices are the only messages.
  const isByMessage = out.length > CALLS.traced / 2;
  const passage = (us: readonly number[]): number => (isByMessage ? median(us) : Number.NaN);
  return {
    passages: { page: passage(page), out: passage(out), worker: passage(worker), back: passage(back) },
    accounts: { page: ofThread(threads.page), worker: ofThread(threads.worker) },
  };
}

/** Returns the bytes that the page allocates during the calls, of which V8 samples one in every few. */
async function allocated(page: Page): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.startSampling", {
    samplingInterval: ALLOCATION_STEP,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await call(page, CALLS.allocated);
  const { profile } = await session.send("HeapProfiler.stopSampling");
  await session.detach();
  return profile.samples.reduce((sum, { size }) => sum + size, 0);
}

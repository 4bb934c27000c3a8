import type { EngineLaneName } from "../../src/engines/lanes.js";
import type { EngineSlice } from "../../src/engines/main.js";
import { seededRandom, shuffled } from "../../src/statistics/random.js";
import { describeMachine } from "../visits/machine.js";
import { inOwnBrowser } from "../visits/own-browser.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { enginesMarkdown } from "./tables.js";

const LANES: readonly EngineLaneName[] = ["framebatch", "by-hand-worker", "by-hand-page"];
const CALLERS = [1, 16, 64];
const PAGES = 4;
const SLICE_MS = 2000;

/** The options of the command line, and the paths. */
export interface EnginesCommand extends Pick<
  SuiteCommand,
  "executablePath" | "pages" | "seed" | "command" | "resultsFolder" | "jsonFile"
> {
  /** URL of the built benchmark pages. */
  readonly url: string;
}

/** What one page has measured of its lane. */
export interface EnginePage {
  readonly lane: EngineLaneName;
  /** Time until the lane is open and has answered once, in ms. */
  readonly firstMs: number;
  readonly slices: readonly EngineSlice[];
}

/**
 * Compares transformers.js in `createBatchedWorker` with transformers.js by hand, each on several pages that take turns.
 * Writes the results as JSON and Markdown, and prints the Markdown.
 */
export async function runEngines(command: EnginesCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const random = seededRandom(command.seed);
  const pages: EnginePage[] = [];
  for (let turn = 0; turn < (command.pages ?? PAGES); turn++) {
    for (const lane of shuffled(LANES, random)) {
      console.error(`  page ${turn}: ${lane}`);
      pages.push(await measurePage(command, lane, shuffled(CALLERS, random)));
    }
  }
  const report = { format: 1, date, command: command.command, seed: command.seed, machine: describeMachine(), pages };
  await writeReport(command, "engines", report, enginesMarkdown(pages));
  return true;
}

/** Measures a lane on a page in a browser of its own. */
function measurePage(
  { executablePath, url, seed }: EnginesCommand,
  lane: EngineLaneName,
  counts: readonly number[],
): Promise<EnginePage> {
  return inOwnBrowser(executablePath, url, "engines", async (page) => {
    const firstMs: number = await page.evaluate((name) => window.engines.open(name), lane);
    const slices: EngineSlice[] = [];
    for (const callers of counts) {
      const wanted = { callers, ms: SLICE_MS, seed };
      slices.push(await page.evaluate((asked) => window.engines.measure(asked.callers, asked.ms, asked.seed), wanted));
    }
    return { lane, firstMs, slices };
  });
}

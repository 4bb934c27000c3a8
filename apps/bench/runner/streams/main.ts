import type { StreamLaneName } from "../../src/streams/lanes.js";
import type { StreamSlice } from "../../src/streams/main.js";
import { seededRandom, shuffled } from "../../src/statistics/random.js";
import { describeMachine } from "../visits/machine.js";
import { inOwnBrowser } from "../visits/own-browser.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { streamsMarkdown } from "./tables.js";

const LANES: readonly StreamLaneName[] = ["framebatch", "stacked", "per-stream"];
const STREAMS = [1, 4, 16, 64];
const PAGES = 4;
const SLICE_MS = 2000;

/** The options of the command line, and the paths. */
export type StreamsCommand = Pick<
  SuiteCommand,
  "executablePath" | "urls" | "sites" | "pages" | "seed" | "command" | "resultsFolder" | "jsonFile"
>;

/** What one page has measured of its lane. */
export interface StreamPage {
  readonly site: string;
  /** Pages of one turn are measured one after the other, and compared with each other. */
  readonly turn: number;
  readonly lane: StreamLaneName;
  readonly slices: readonly StreamSlice[];
}

/**
 * Compares sequences with two workers by hand, each on several pages that take turns. Writes the results as JSON and
 * Markdown, and prints the Markdown.
 */
export async function runStreams(command: StreamsCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const random = seededRandom(command.seed);
  const pages: StreamPage[] = [];
  for (let turn = 0; turn < (command.pages ?? PAGES); turn++) {
    for (const site of command.sites) {
      for (const lane of shuffled(LANES, random)) {
        console.error(`  turn ${turn}, ${site}: ${lane}`);
        const slices = await measurePage(command, command.urls[site], lane, shuffled(STREAMS, random));
        pages.push({ site, turn, lane, slices });
      }
    }
  }
  const report = { format: 2, date, command: command.command, seed: command.seed, machine: describeMachine(), pages };
  await writeReport(command, "streams", report, streamsMarkdown(pages));
  return true;
}

/** Measures a lane on a page in a browser of its own. */
function measurePage(
  { executablePath, seed }: StreamsCommand,
  url: string,
  lane: StreamLaneName,
  counts: readonly number[],
): Promise<StreamSlice[]> {
  return inOwnBrowser(executablePath, url, "streams", async (page) => {
    const opened = { lane, streams: Math.max(...counts) };
    await page.evaluate((asked) => window.streams.open(asked.lane, asked.streams), opened);
    const slices: StreamSlice[] = [];
    for (const streams of counts) {
      const wanted = { streams, ms: SLICE_MS, seed };
      slices.push(await page.evaluate((asked) => window.streams.measure(asked.streams, asked.ms, asked.seed), wanted));
    }
    return slices;
  });
}

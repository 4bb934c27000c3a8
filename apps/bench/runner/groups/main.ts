import type { Browser } from "@playwright/test";
import type { GroupLaneName } from "../../src/groups/lanes.js";
import type { Heard } from "../../src/groups/main.js";
import { seededRandom, shuffled } from "../../src/statistics/random.js";
import { describeMachine } from "../visits/machine.js";
import { inOwnBrowser } from "../visits/own-browser.js";
import { RendererMemory } from "../page/renderer-memory.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { agree } from "./agree.js";
import { groupsMarkdown } from "./tables.js";

const LANES: readonly GroupLaneName[] = ["group", "workers", "by-hand"];
const STREAMS = 4;
const PAGES = 4;
/** Parts of 160 ms that each stream hears: 12.8 s of audio. */
const PARTS = 80;
const WARM_UP_PARTS = 10;

/** The options of the command line, and the paths. */
export type GroupsCommand = Pick<
  SuiteCommand,
  "executablePath" | "urls" | "sites" | "pages" | "seed" | "command" | "resultsFolder" | "jsonFile"
>;

/** What one page has measured of its lane. Lanes of one turn are compared with each other. */
export interface GroupPage {
  readonly site: string;
  readonly turn: number;
  readonly lane: GroupLaneName;
  /** Time for the audio. */
  readonly ms: number;
  /** Processor time of the page's process for the same. */
  readonly processorMs: number;
  /** The same, for opening the models and for the first parts. */
  readonly openProcessorMs: number;
  /** Memory of the page's process after that, without what it had before. */
  readonly memoryBytes: number;
  readonly sum: number;
}

/**
 * Compares six models in a group with plain onnxruntime-web in one worker by hand, with four streams of audio. Writes the
 * results as JSON and Markdown, and prints the Markdown.
 */
export async function runGroups(command: GroupsCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const random = seededRandom(command.seed);
  const pages: GroupPage[] = [];
  for (let turn = 0; turn < (command.pages ?? PAGES); turn++) {
    for (const site of command.sites) {
      for (const lane of shuffled(LANES, random)) {
        console.error(`  turn ${turn}, ${site}: ${lane}`);
        pages.push({ site, turn, lane, ...(await measurePage(command, command.urls[site], lane)) });
      }
    }
  }
  const report = { format: 1, date, command: command.command, seed: command.seed, machine: describeMachine(), pages };
  await writeReport(command, "groups", report, groupsMarkdown(pages));
  const sums = pages.map(({ sum }) => sum);
  if (agree(sums)) return true;
  console.error(`  The lanes have computed different scores: ${sums.join(", ")}`);
  return false;
}

/** Measures a lane on a page in a browser of its own. */
function measurePage(
  { executablePath, seed }: GroupsCommand,
  url: string,
  lane: GroupLaneName,
): Promise<Omit<GroupPage, "site" | "turn" | "lane">> {
  return inOwnBrowser(executablePath, url, "groups", async (page, browser) => {
    const memory = await RendererMemory.open(page);
    const [bytesBefore, idleMs] = [await memory.bytes(), await processorMsOf(browser)];
    await page.evaluate(([name, streams]) => window.groups.open(name, streams), [lane, STREAMS] as const);
    await page.evaluate((asked) => window.groups.hear(asked.parts, asked.seed), { parts: WARM_UP_PARTS, seed });
    const openMs = await processorMsOf(browser);
    const { ms, sum }: Heard = await page.evaluate((asked) => window.groups.hear(asked.parts, asked.seed), {
      parts: PARTS,
      seed,
    });
    const processorMs = (await processorMsOf(browser)) - openMs;
    const memoryBytes = (await memory.bytes()) - bytesBefore;
    return { ms, processorMs, openProcessorMs: openMs - idleMs, memoryBytes, sum };
  });
}

/** Returns the processor time of all pages of a browser. */
async function processorMsOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}

import type { Page } from "@playwright/test";
import { seededRandom, shuffled } from "../../src/statistics/random.js";
import type { Joining } from "../../src/texts/joining.js";
import type { TextLaneName } from "../../src/texts/lanes.js";
import type { JoinTask, TextMemory, TextRates, TextTask, WrittenTexts } from "../../src/texts/main.js";
import { describeMachine } from "../visits/machine.js";
import { inOwnBrowser } from "../visits/own-browser.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { differences } from "./agree.js";
import { textsMarkdown } from "./tables.js";

const LANES: readonly TextLaneName[] = ["generate", "one-by-one", "stacked", "transformers-js"];
const PAGES = 3;
const NEW_TOKENS = 64;
/** In the middle of their texts, the caches have 64 and 200 tokens. */
const PROMPT_TOKENS = [32, 168];
const LONG_PROMPT_TOKENS = 256;
/** A lane that takes fewer at a time writes that many, so that its figure is no worse known. */
const LEAST_TEXTS = 4;

/** Numbers of texts at a time. One after the other, eight texts are one task. transformers.js has fewer, to save time. */
const COUNTS: Readonly<Record<TextLaneName, readonly number[]>> = {
  generate: [1, 2, 4, 8, 16],
  "one-by-one": [8],
  stacked: [2, 4, 8, 16],
  "transformers-js": [1, 8],
};

/** A ninth text that joins eight, and a long prompt beside four texts. */
const JOINS: readonly JoinTask[] = [
  { running: 8, runningTokens: 32, promptTokens: 32, number: 8 },
  { running: 4, runningTokens: 32, promptTokens: LONG_PROMPT_TOKENS, number: 0 },
];

/** The options of the command line, and the paths. */
export type TextsCommand = Pick<
  SuiteCommand,
  "executablePath" | "urls" | "sites" | "pages" | "seed" | "command" | "resultsFolder" | "jsonFile"
>;

/** What one page has measured of its lane. Lanes of one turn are compared with each other. */
export interface TextPage {
  readonly site: string;
  readonly turn: number;
  readonly lane: TextLaneName;
  readonly slices: readonly (TextTask & TextRates)[];
  /** Of the lane in which texts can join. */
  readonly joins: readonly (JoinTask & Joining)[];
  readonly memory: TextMemory;
}

/**
 * Compares generation of many texts with decoders by hand, each on several pages that take turns. Writes the results as JSON
 * and Markdown, and prints the Markdown. Returns whether all lanes have written the same.
 */
export async function runTexts(command: TextsCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const random = seededRandom(command.seed);
  const pages: TextPage[] = [];
  const written: { readonly lane: TextLaneName; readonly written: WrittenTexts }[] = [];
  for (let turn = 0; turn < (command.pages ?? PAGES); turn++) {
    for (const site of command.sites) {
      for (const lane of shuffled(LANES, random)) {
        console.error(`  turn ${turn}, ${site}: ${lane}`);
        const measured = await measurePage(command, command.urls[site], lane, shuffled(tasksOf(lane), random));
        pages.push({ site, turn, lane, ...measured.figures });
        written.push(...measured.written.map((texts) => ({ lane, written: texts })));
      }
    }
  }
  const report = { format: 1, date, command: command.command, seed: command.seed, machine: describeMachine(), pages };
  await writeReport(command, "texts", report, textsMarkdown(pages, random));
  const differing = differences(written);
  if (differing.length > 0) console.error(`  The lanes have written different texts:\n  ${differing.join("\n  ")}`);
  return differing.length === 0;
}

function tasksOf(lane: TextLaneName): TextTask[] {
  return PROMPT_TOKENS.flatMap((promptTokens) =>
    COUNTS[lane].map((count) => {
      return { promptTokens, newTokens: NEW_TOKENS, count, texts: Math.max(count, LEAST_TEXTS) };
    }),
  );
}

/** Measures a lane on a page in a browser of its own. */
function measurePage(
  { executablePath, seed }: TextsCommand,
  url: string,
  lane: TextLaneName,
  tasks: readonly TextTask[],
): Promise<{ readonly figures: Omit<TextPage, "site" | "turn" | "lane">; readonly written: readonly WrittenTexts[] }> {
  return inOwnBrowser(executablePath, url, "texts", async (page) => {
    await page.evaluate((name) => window.texts.open(name), lane);
    const slices: (TextTask & TextRates)[] = [];
    const joins: (JoinTask & Joining)[] = [];
    const written: WrittenTexts[] = [];
    for (const task of tasks) {
      const measured = await measure(page, task, seed);
      slices.push({ ...task, ...measured.rates });
      written.push(measured.written);
    }
    const memory = await page.evaluate(() => window.texts.memory());
    for (const task of lane === "generate" ? JOINS : []) {
      const asked = { task, seed };
      const joined = await page.evaluate((wanted) => window.texts.join(wanted.task, wanted.seed), asked);
      joins.push({ ...task, ...joined.joining });
      written.push(...joined.written);
    }
    // What the long prompt of a text that joins must give.
    const long = { promptTokens: LONG_PROMPT_TOKENS, newTokens: NEW_TOKENS, count: 1, texts: 1 };
    if (lane === "one-by-one") written.push((await measure(page, long, seed)).written);
    return { figures: { slices, joins, memory }, written };
  });
}

function measure(page: Page, task: TextTask, seed: number): ReturnType<typeof window.texts.measure> {
  return page.evaluate((asked) => window.texts.measure(asked.task, asked.seed), { task, seed });
}

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Backend, Site } from "../../src/results.js";

/** The options of the command line that every suite has, and the paths. */
export interface SuiteCommand {
  readonly executablePath: string;
  /** URL of the built benchmark page on each site. */
  readonly urls: Readonly<Record<Site, string>>;
  readonly backends: readonly Backend[];
  readonly sites: readonly Site[];
  /** Whether to reject a WebGPU adapter that runs in software. */
  readonly requireHardware: boolean;
  /** All that the suite has instead of a few. */
  readonly isComplete: boolean;
  /** Names of models, instead of those of the plan. */
  readonly models: readonly string[] | undefined;
  /** Number of pages that measure each lane. Default: that of the plan. */
  readonly pages: number | undefined;
  readonly seed: number;
  /** The command as typed, for the report. */
  readonly command: string;
  readonly resultsFolder: string;
  /** An additional path for the JSON. */
  readonly jsonFile: string | undefined;
  /** Returns the time since the command started, in ms. */
  readonly elapsedMs: () => number;
}

/**
 * Writes a report as JSON and Markdown, and prints the Markdown.
 * @param suite the first part of the names of the files
 */
export async function writeReport(
  { resultsFolder, jsonFile }: Pick<SuiteCommand, "resultsFolder" | "jsonFile">,
  suite: string,
  report: { readonly date: string },
  markdown: string,
): Promise<void> {
  const json = `${JSON.stringify(report, null, 1)}\n`;
  const base = path.join(resultsFolder, `${suite}-${report.date.replaceAll(":", "-").replace(/\.\d+Z$/, "Z")}`);
  await writeIn(`${base}.json`, json);
  await writeIn(`${base}.md`, markdown);
  if (jsonFile !== undefined) await writeIn(jsonFile, json);
  console.log(`${markdown}\nWritten to ${base}.json and .md`);
}

/** Writes a file, and creates its folder if there is none. */
export async function writeIn(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

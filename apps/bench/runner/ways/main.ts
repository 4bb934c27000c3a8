import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "@playwright/test";
import type { Backend, Site } from "../../src/results.js";
import { flagsFor } from "../browser.js";
import { describeMachine } from "../machine.js";
import { MeasuredCell } from "./measure-cell.js";
import { ALL_MODELS, cellsOf, FEW_MODELS, type WaysPlan } from "./plan.js";
import { reportOf, type WaysReport } from "./report.js";
import { waysMarkdown } from "./tables.js";

/** The options of the command line, and the paths. */
export interface WaysCommand {
  readonly executablePath: string;
  /** URL of the built benchmark page on each site. */
  readonly urls: Readonly<Record<Site, string>>;
  readonly backends: readonly Backend[];
  readonly sites: readonly Site[];
  /** All models instead of a few. */
  readonly isComplete: boolean;
  /** Names of models, instead of those of the plan. */
  readonly models: readonly string[] | undefined;
  readonly rounds: number | undefined;
  readonly pages: number | undefined;
  readonly seed: number;
  /** The command as typed, for the report. */
  readonly command: string;
  readonly resultsFolder: string;
  readonly jsonFile: string | undefined;
  /** Returns the time since the command started, in ms. */
  readonly elapsedMs: () => number;
}

/**
 * Compares framebatch without options with each way to run by hand. Writes the report as JSON and Markdown, and prints
 * the Markdown. Returns whether every cell was measured.
 */
export async function runWays(command: WaysCommand): Promise<boolean> {
  const date = new Date().toISOString();
  const browser = await versionOf(command.executablePath);
  const plan = planOf(command);
  const cells = cellsOf(plan.models, command.backends, command.sites);
  const measured: MeasuredCell[] = [];
  const problems: string[] = [];
  for (const [index, cell] of cells.entries()) {
    const name = `${cell.model}, ${cell.backend === "wasm" ? "no WebGPU" : "WebGPU"}, ${cell.site} site`;
    const say = (text: string): void =>
      console.error(`  ${clock(command.elapsedMs())} ${index + 1}/${cells.length} ${name}: ${text}`);
    const { executablePath, urls, seed } = command;
    const run = new MeasuredCell({ executablePath, flags: flagsFor(cell.backend), urls, seed, cell, plan, say });
    measured.push(run);
    await run.run().catch((error: unknown) => {
      say(String(error));
      problems.push(`${name}: ${String(error)}`);
    });
  }
  const { command: typed, seed } = command;
  const report = reportOf(measured, { date, command: typed, seed, machine: describeMachine(), browser, problems });
  await write(command, report);
  return problems.length === 0;
}

function planOf({ isComplete, models, rounds, pages }: WaysCommand): WaysPlan {
  const plan = isComplete ? ALL_MODELS : FEW_MODELS;
  return { ...plan, models: models ?? plan.models, rounds: rounds ?? plan.rounds, pages: pages ?? plan.pages };
}

async function versionOf(executablePath: string): Promise<string> {
  const browser = await chromium.launch({ executablePath, args: [...flagsFor("wasm")] });
  const version = `Chromium ${browser.version()}`;
  await browser.close();
  return version;
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

async function write({ resultsFolder, jsonFile }: WaysCommand, report: WaysReport): Promise<void> {
  const json = `${JSON.stringify(report, null, 1)}\n`;
  const markdown = waysMarkdown(report);
  const base = path.join(resultsFolder, `ways-${report.date.replaceAll(":", "-").replace(/\.\d+Z$/, "Z")}`);
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(`${base}.json`, json);
  await writeFile(`${base}.md`, markdown);
  if (jsonFile !== undefined) await writeFile(jsonFile, json);
  console.log(`${markdown}\nWritten to ${base}.json and .md`);
}

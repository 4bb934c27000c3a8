import { chromium } from "@playwright/test";
import { flagsFor, refusesMachine } from "../visits/browser.js";
import { describeMachine } from "../visits/machine.js";
import { failuresOf } from "../visits/problem.js";
import { type SuiteCommand, writeReport } from "../visits/suite-command.js";
import { MeasuredCell } from "./measure-cell.js";
import { ALL_MODELS, cellsOf, FEW_MODELS, type WaysPlan } from "./plan.js";
import { reportOf } from "./report.js";
import { waysMarkdown } from "./tables.js";

/** The options of the command line, and the paths. */
export interface WaysCommand extends SuiteCommand {
  readonly rounds: number | undefined;
}

/**
 * Compares framebatch without options with each way to run by hand. Writes the report as JSON and Markdown, and prints
 * the Markdown. Returns whether every cell was measured.
 */
export async function runWays(command: WaysCommand): Promise<boolean> {
  if (await refusesMachine(command)) return false;
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
      run.problems.push({ message: String(error), isAbsence: false });
    });
    const failures = failuresOf(run.problems, command.backends.length === 1);
    problems.push(...failures.map((failure) => `${name}: ${failure}`));
  }
  const { command: typed, seed } = command;
  const report = reportOf(measured, { date, command: typed, seed, machine: describeMachine(), browser, problems });
  await writeReport(command, "ways", report, waysMarkdown(report));
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

import { loadavg } from "node:os";
import { decide } from "../src/measure/outcome.js";
import { agrees, hiddenLosses, summarise, toTable, type CheckedVerdict } from "./agreement.js";
import { benchOutcome } from "./bench-outcome.js";
import { CHECKED_MODELS, type CheckedModel } from "./checked-models.js";
import { pageOutcome } from "./page-outcome.js";

/** How many verdicts may differ, since a model may be near the border of two answers. */
const MAY_DIFFER = 1;

export interface VerdictsCommand {
  readonly executablePath: string;
  readonly playgroundUrl: string;
  readonly benchUrl: string;
  /** Names of models; empty for all. */
  readonly only: readonly string[];
}

/** Checks the verdicts of the playground, and prints a table. Returns whether enough of them agree. */
export async function checkVerdicts(command: VerdictsCommand): Promise<boolean> {
  const { only } = command;
  const checked: CheckedVerdict[] = [];
  for (const model of CHECKED_MODELS.filter(({ name }) => only.length === 0 || only.includes(name))) {
    checked.push(await check(model, command));
  }
  console.log(`${toTable(checked)}\n\n${summarise(checked)}`);
  return checked.filter((one) => !agrees(one)).length <= MAY_DIFFER && checked.flatMap(hiddenLosses).length === 0;
}

async function check(model: CheckedModel, command: VerdictsCommand): Promise<CheckedVerdict> {
  const { executablePath } = command;
  const say = (text: string): void => console.error(`  ${text}`);
  const machineLoad = loadavg()[0] ?? 0;
  say(`${model.name} in the playground`);
  const page = await pageOutcome(model, { executablePath, url: command.playgroundUrl });
  const outcome = await benchOutcome(model, { executablePath, url: command.benchUrl, say });
  return { model, page, bench: { gains: outcome.gains, verdict: decide(outcome) }, machineLoad };
}

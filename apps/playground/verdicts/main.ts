import { loadavg } from "node:os";
import { decide } from "../src/measure/outcome.js";
import { agrees, hiddenLosses, summarise, toTable, type CheckedVerdict } from "./agreement.js";
import { benchOutcome } from "./bench-outcome.js";
import { CHECKED_MODELS, type CheckedModel } from "./checked-models.js";
import { pageOutcome } from "./page-outcome.js";
import { keepsItsPromises, summariseRuns, type PageRun } from "./page-runs.js";

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
  const checked: CheckedVerdict[] = [];
  for (const model of chosenModels(command)) checked.push(await check(model, command));
  console.log(`${toTable(checked)}\n\n${summarise(checked)}`);
  return checked.filter((one) => !agrees(one)).length <= MAY_DIFFER && checked.flatMap(hiddenLosses).length === 0;
}

/**
 * Measures each model several times on the page alone, and prints the answers, how long they took, and what contradicts
 * itself. Returns whether the page keeps its promises.
 */
export async function checkAnswers(command: VerdictsCommand, runs: number): Promise<boolean> {
  const answers: PageRun[] = [];
  for (const model of chosenModels(command)) {
    for (let run = 0; run < runs; run++) {
      const place = { executablePath: command.executablePath, url: command.playgroundUrl };
      const outcome = await pageOutcome(model, place);
      answers.push({ model: model.name, outcome });
      console.error(`  ${model.name}: ${outcome.headline} after ${(outcome.answerMs / 1000).toFixed(1)} s`);
    }
  }
  console.log(summariseRuns(answers));
  return keepsItsPromises(answers);
}

function chosenModels({ only }: VerdictsCommand): readonly CheckedModel[] {
  return CHECKED_MODELS.filter(({ name }) => only.length === 0 || only.includes(name));
}

async function check(model: CheckedModel, command: VerdictsCommand): Promise<CheckedVerdict> {
  const { executablePath } = command;
  const say = (text: string): void => console.error(`  ${text}`);
  const machineLoad = loadavg()[0] ?? 0;
  say(`${model.name} in the playground`);
  const { report, headline } = await pageOutcome(model, { executablePath, url: command.playgroundUrl });
  if (report === null) throw new Error(`the page did not measure ${model.name}: ${headline}`);
  const outcome = await benchOutcome(model, { executablePath, url: command.benchUrl, say });
  return { model, page: report, bench: { gains: outcome.gains, verdict: decide(outcome) }, machineLoad };
}

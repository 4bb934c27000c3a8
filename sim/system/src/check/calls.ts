import type { Entry } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import { checkAborts } from "./aborts.js";
import { checkAnswers } from "./answers.js";
import { checkCauses } from "./causes.js";
import { checkErrors } from "./errors.js";
import { checkHanging } from "./hanging.js";
import { checkRefused } from "./refused.js";
import { checkSettles } from "./settles.js";
import { checkShown } from "./shown.js";
import { checkTimeouts } from "./timeouts.js";
import type { Violation } from "../logs/violation.js";

/** Checks what came of every call. */
export function checkCalls(scenario: Scenario, scene: Scene, { ledger, lives }: Play): Violation[] {
  const { fates, files, witness } = scene.origin;
  return [...ledger.entries.values()].flatMap((entry) => {
    const life = lives[entry.subject]!;
    return [
      ...checkSettles(entry, life, witness),
      ...(isStep(entry, life) || isText(entry) ? [] : checkAnswers(entry, life)),
      ...checkAborts(entry, life),
      ...checkErrors({ entry, life, scenario, ledger, fates, files, witness }),
      ...checkRefused(entry, life, scenario),
      ...checkShown(entry),
      ...checkTimeouts(entry, life, scenario, ledger),
      ...checkCauses(entry),
      ...checkHanging(entry, life, scenario, fates),
    ];
  });
}

/** See `texts.ts`. */
function isText({ items }: Entry): boolean {
  return items.some(({ text }) => text !== undefined);
}

/** The answers of steps depend on those before: see `sequences.ts`. */
function isStep({ part }: Entry, { parts }: Life): boolean {
  return part !== null && parts[part]?.sequence !== null;
}

/** Crashes in a row that a model survives: `MAX_CRASHES` in `crash-history.ts`. */
const SURVIVED = 8;

/** Workers in a row that fall silent while they load, which a model survives. */
const SURVIVED_SILENCES = 2;

/** A model gives up only after that many lost workers, or if the server does not give it its file again. */
export function checkEndurance({ lives }: Play, { origin }: Scene): Violation[] {
  const { fates, files } = origin;
  if (fates.fatal > SURVIVED || fates.silenced > SURVIVED_SILENCES || files.hasFailed) return [];
  const failed = lives.filter(({ states, page }) => states.includes("failed") && !page.isEnded);
  return failed.map(({ index }) => ({
    rule: "endurance",
    what: `subject ${index} failed after ${origin.fates.fatal} lost workers; it survives ${SURVIVED}`,
  }));
}

import type { Entry } from "../program/ledger.js";
import type { Life, Play } from "../program/play.js";
import type { Scenario } from "../program/scenario.js";
import type { Scene } from "../program/stagehand.js";
import { checkAborts } from "./aborts.js";
import { checkAnswers } from "./answers.js";
import { checkCauses } from "./causes.js";
import { codeOf } from "./error-code.js";
import { checkErrors } from "./errors.js";
import { checkHanging } from "./hanging.js";
import { checkRefused } from "./refused.js";
import { checkSettles } from "./settles.js";
import { checkShown, shownIn } from "./shown.js";
import { checkTimeouts } from "./timeouts.js";
import type { Violation } from "./violation.js";

/** Checks what came of every call. */
export function checkCalls(scenario: Scenario, scene: Scene, { ledger, lives }: Play): Violation[] {
  const { fates, files, witness } = scene.origin;
  return [...ledger.entries.values()].flatMap((entry) => {
    const life = lives[entry.subject]!;
    return [
      ...checkSettles(entry, life, witness),
      ...(isStep(entry, life) ? [] : checkAnswers(entry, life)),
      ...checkAborts(entry, life),
      ...checkErrors({ entry, life, scenario, ledger, fates, files, witness }),
      ...checkRefused(entry, life, scenario),
      ...checkShown(entry),
      ...checkTimeouts(entry, life, scenario),
      ...checkCauses(entry),
      ...checkHanging(entry, life, scenario, fates),
    ];
  });
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

/** A model opens, unless its page has ended or its start was disturbed. */
export function checkOpening({ lives }: Play, { faults }: Scenario, { origin }: Scene): Violation[] {
  const pending = lives.filter(({ opening, page }) => opening === "pending" && !page.isEnded && !page.isFrozen);
  const hanging = pending.map(({ index }) => ({ rule: "opening", what: `subject ${index} never opened` }));
  const failed = lives.filter(({ opening, page }) => opening === "failed" && !page.isEnded);
  const raw = failed.filter(({ error }) => codeOf(error) === null);
  const broken: Violation[] = [
    ...hanging,
    ...raw.map(({ index, error }) => ({ rule: "opening", what: `subject ${index} failed with ${String(error)}` })),
    ...failed.flatMap(({ index, error }) => shownIn(error, `the opening of ${index}`)),
  ];
  const mayFail = faults.some(
    ({ on, does }) => on !== "time" || does === "kill" || does === "lose GPU" || does === "deploy",
  );
  if (mayFail || broken.length > 0) return broken;
  const unexpected = failed.filter(({ index }) => !origin.witness.refused.has(index));
  return unexpected.map(({ index, error }) => ({
    rule: "opening",
    what: `subject ${index} did not open: ${String(error)}`,
  }));
}

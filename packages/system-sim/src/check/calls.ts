import type { Play } from "../program/play.js";
import type { Scenario } from "../program/scenario.js";
import type { Scene } from "../program/stagehand.js";
import { checkAborts } from "./aborts.js";
import { checkAnswers } from "./answers.js";
import { checkErrors } from "./errors.js";
import { checkSettles } from "./settles.js";
import type { Violation } from "./violation.js";

/** Checks what came of every call. */
export function checkCalls(scenario: Scenario, scene: Scene, { ledger, lives }: Play): Violation[] {
  const { failedAlone } = scene.origin.fates;
  return [...ledger.entries.values()].flatMap((entry) => {
    const life = lives[entry.subject]!;
    return [
      ...checkSettles(entry, life),
      ...checkAnswers(entry, life),
      ...checkAborts(entry, life),
      ...checkErrors({ entry, life, scenario, ledger, failedAlone }),
    ];
  });
}

/** Crashes in a row that a model survives: `MAX_CRASHES` in `crash-history.ts`. */
const SURVIVED = 8;

/** A model gives up only after that many lost workers. */
export function checkEndurance({ lives }: Play, { origin }: Scene): Violation[] {
  if (origin.fates.fatal > SURVIVED) return [];
  const failed = lives.filter(({ states, page }) => states.includes("failed") && !page.isEnded);
  return failed.map(({ index }) => ({
    rule: "endurance",
    what: `subject ${index} failed after ${origin.fates.fatal} lost workers; it survives ${SURVIVED}`,
  }));
}

/** A model opens, unless its page has ended or its start was disturbed. */
export function checkOpening({ lives }: Play, { faults }: Scenario): Violation[] {
  const pending = lives.filter(({ opening, page }) => opening === "pending" && !page.isEnded && !page.isFrozen);
  const hanging = pending.map(({ index }) => ({ rule: "opening", what: `subject ${index} never opened` }));
  const failed = lives.filter(({ opening, page }) => opening === "failed" && !page.isEnded);
  if (faults.length > 0 || hanging.length > 0) return hanging;
  return failed.map(({ index, error }) => ({
    rule: "opening",
    what: `subject ${index} did not open: ${String(error)}`,
  }));
}

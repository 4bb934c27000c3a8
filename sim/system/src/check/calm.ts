import type { Play } from "../play/play.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Violation } from "../logs/violation.js";

/**
 * What may cost a model its worker: what callers do to it, items that end or block it, a page that hears late, rows that mix, a
 * GPU that is wrong, or a timeout of their own. An item that only fails costs nothing.
 */
const DISTURBING =
  /"poison":"(trap|hang)"|"act"|"slowMs"|"mixing|"gpumixed"|"skewed|"counting"|"misread"|"mixedrnn"|"blended"|"brittle"|"tight"|"filling"|"runTimeoutMs"|"do":"(restart|busy|hide|freeze|crash)"/;

/** A model that nothing disturbs keeps its worker. */
export function checkCalm({ lives }: Play, scenario: Scenario): Violation[] {
  const isDisturbed = scenario.faults.some(({ on }) => on !== "request") || DISTURBING.test(JSON.stringify(scenario));
  const lost = isDisturbed ? [] : lives.filter(({ states }) => states.includes("recovering"));
  return lost.map(({ index }) => ({
    rule: "calm",
    what: `subject ${index} lost its worker, and nothing has happened`,
  }));
}

import type { Entry } from "../logs/ledger.js";
import type { Violation } from "../logs/violation.js";

/** What an error of a pipeline says of its stage. Stages without a name of their own have their place in it. */
interface Place {
  readonly stage: unknown;
  readonly stageName: unknown;
}

/** The error of a pipeline has the original error as its cause, also through other pipelines, and names its stage. */
export function checkCauses({ call, outcome }: Entry): Violation[] {
  if (outcome === null || !("error" in outcome)) return [];
  const { error } = outcome;
  const place = placeOf(error);
  if (place === null) return [];
  const { cause } = Object(error);
  if (placeOf(cause) !== null)
    return [{ rule: "causes", what: `call ${call}: the cause is an error of a pipeline: ${String(cause)}` }];
  if (String(place.stageName).endsWith(` ${String(place.stage)}`)) return [];
  return [{ rule: "causes", what: `call ${call}: the error says ${JSON.stringify(place)}` }];
}

/** Returns what an error says of the stage at which it was; `null` if it says nothing. */
function placeOf(error: unknown): Place | null {
  const details: unknown = error instanceof Error ? Reflect.get(error, "details") : null;
  if (typeof details !== "object" || details === null || !("stageName" in details)) return null;
  return { stage: Reflect.get(details, "stage"), stageName: details.stageName };
}

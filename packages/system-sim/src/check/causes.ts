import type { Entry } from "../program/ledger.js";
import type { Violation } from "./violation.js";

/** The error of a pipeline has the original error as its cause, also through other pipelines. */
export function checkCauses({ call, outcome }: Entry): Violation[] {
  if (outcome === null || !("error" in outcome) || !isPlaced(outcome.error)) return [];
  const { cause } = outcome.error;
  return isPlaced(cause)
    ? [{ rule: "causes", what: `call ${call}: the cause is an error of a pipeline: ${cause.message}` }]
    : [];
}

/** Whether an error says at which stage it was. */
function isPlaced(error: unknown): error is Error {
  const details: unknown = error instanceof Error ? Reflect.get(error, "details") : null;
  return typeof details === "object" && details !== null && "stageName" in details;
}

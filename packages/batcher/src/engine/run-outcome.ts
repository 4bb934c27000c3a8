import { wrongLength } from "../requests/request-errors.js";
import type { Outcome } from "./engine.js";

export type Success<Result> = Extract<Outcome<Result>, { readonly results: unknown }>;
export type BatchFailure = Extract<Outcome<unknown>, { readonly error: Error }>;

/** Returns how a batch of `expected` rows failed as a whole, or `null` if every row has its own outcome. */
export function failureOf<Result>(outcome: Outcome<Result>, expected: number): BatchFailure | null {
  if ("error" in outcome) return outcome;
  const got = outcome.results.length;
  return expected === got ? null : { error: wrongLength(expected, got), divisible: true };
}

import { LEAST_PAIRS, trialTimes } from "./comparison-plan.js";

/** What the trial round shows about one lane. */
export interface TrialRound {
  /** Number of answers before the round ended or was cut off. */
  readonly answers: number;
  /** Until the last of them, or until the first batch had ended if there was none, in ms. */
  readonly durationMs: number;
}

/** A model that is too slow for an answer in time. */
export interface Slowness {
  /** How long a comparison takes, in ms. */
  readonly needMs: number;
  /** A smaller number of callers, with which an answer comes in time; `null` if there is none. */
  readonly fewerCallers: number | null;
}

/** A slice with fewer answers than this cannot tell ways apart, unless each caller has got one. */
const LEAST_ANSWERS = 8;

/** By how much a comparison takes longer than its slices: for missing answers, and for batches that still run. */
const OVERHEAD = 1.5;

/** Part of the time of the trial round that fewer callers may need. */
const COMFORTABLE = 0.7;

/**
 * Tells from the trial round whether a comparison would take too long. `null` if it would not.
 * @param rounds of the lanes that were tried; a lane after a slow one need not be
 */
export function slownessOf(callers: number, rounds: readonly TrialRound[]): Slowness | null {
  const wanted = Math.min(callers, LEAST_ANSWERS);
  if (rounds.every(({ answers }) => answers >= wanted)) return null;
  const sliceMs = Math.max(...rounds.map(({ answers, durationMs }) => (durationMs * wanted) / Math.max(1, answers)));
  const answerMs = Math.min(...rounds.map(({ answers, durationMs }) => durationMs / Math.max(1, answers)));
  const fewer = Math.min(callers - 1, Math.floor((COMFORTABLE * trialTimes.drainMs) / answerMs));
  return { needMs: 2 * LEAST_PAIRS * OVERHEAD * sliceMs, fewerCallers: fewer < 2 ? null : fewer };
}

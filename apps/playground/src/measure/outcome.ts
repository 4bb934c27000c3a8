import type { Pace } from "../settings.js";
import type { BatchCost } from "./batch-cost.js";
import { effectOf, MEASURES, NEGLIGIBLE, type Effect, type Gain, type Gains, type Measure } from "./gain.js";

/** The result of a comparison, as far as the verdict depends on it. All figures are rounded. */
export interface Outcome {
  /** Number of callers, from 2. */
  readonly callers: number;
  readonly pace: Pace;
  /** The largest batch that was allowed, from 2. */
  readonly maxBatch: number;
  readonly gains: Gains;
  /** The cost of the largest measured batch; `null` if unknown. */
  readonly cost: BatchCost | null;
  /** Mean number of requests in a batch; `null` if unknown. */
  readonly batchSize: number | null;
  /** The noise of the device as a share (`noiseOf`); `null` if unknown. */
  readonly noise: number | null;
  /** True if both lanes answered nearly all requests of a load that sends one per frame and caller. */
  readonly keepsUp: boolean;
}

/**
 * Whether batching pays:
 * - `yes`: it serves more predictions or has a shorter median latency, and nothing is worse.
 * - `no`: something is worse, and neither of these is better.
 * - `depends`: one is better, and something else is worse.
 * - `same`: no difference that matters, or none that could be large.
 * - `unclear`: the slices vary too much.
 */
export type Answer = "yes" | "no" | "depends" | "same" | "unclear";

/** The one decision: the card, the report, the link and the snippet follow it. */
export interface Verdict {
  readonly answer: Answer;
  readonly effects: Readonly<Record<Measure, Effect>>;
  /**
   * Whether to batch: only if batching is better. Without a difference nothing is gained by it. `null` if unknown: keep
   * what was measured.
   */
  readonly batching: boolean | null;
}

/** Below this mean size of batches, both ways run single requests. */
const SINGLES = 1.05;

export function decide(outcome: Outcome): Verdict {
  const effects = effectsOf(outcome);
  const answer = answerOf(outcome, effects);
  return { answer, effects, batching: BATCHING[answer] };
}

/** True if framebatch sent single requests as well, because batches do not pay here. */
export function ranSingles({ batchSize }: Outcome): boolean {
  return batchSize !== null && batchSize < SINGLES;
}

const BATCHING: Readonly<Record<Answer, boolean | null>> = {
  yes: true,
  depends: true,
  no: false,
  same: false,
  unclear: null,
};

type Effects = Verdict["effects"];

function effectsOf({ gains: { throughput, median, p99, first }, callers }: Outcome): Effects {
  return {
    throughput: effectOf("throughput", throughput, callers),
    median: effectOf("median", median, callers),
    p99: effectOf("p99", p99, callers),
    first: effectOf("first", first, callers),
  };
}

function answerOf(outcome: Outcome, effects: Effects): Answer {
  const { gains } = outcome;
  if (ranSingles(outcome)) return "same";
  const isWorse = MEASURES.some((measure) => effects[measure] === "worse");
  const isBetter = effects.throughput === "better" || effects.median === "better";
  if (isBetter && isWorse) return "depends";
  if (isWorse) return "no";
  if (isBetter)
    return DECISIVE.some((measure) => isProbablyWorse(gains[measure], effects[measure])) ? "unclear" : "yes";
  return effects.throughput === "unclear" && gains.throughput.factor.high >= NEGLIGIBLE ? "unclear" : "same";
}

/** In these, a gain must not hide a probable loss. */
const DECISIVE = ["throughput", "median", "first"] as const satisfies readonly Measure[];

/** A latency that was cut off is not known, so it decides nothing. */
function isProbablyWorse({ factor, single, batched }: Gain, effect: Effect): boolean {
  return effect === "unclear" && factor.value < 1 && !single.isAtLeast && !batched.isAtLeast;
}

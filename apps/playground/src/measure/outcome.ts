import type { Pace } from "../settings.js";
import type { BatchCost } from "./batch-cost.js";
import { effectOf, MEASURES, type Effect, type Gains, type Measure } from "./gain.js";

/** The result of a comparison, as far as the verdict depends on it. */
export interface Outcome {
  /** Number of callers, from 1. */
  readonly callers: number;
  readonly pace: Pace;
  /** The largest batch that was allowed, from 1. */
  readonly maxBatch: number;
  readonly gains: Gains;
  /** The cost of the largest measured batch; `null` if unknown. */
  readonly cost: BatchCost | null;
  /** True if both lanes answered nearly all requests of a load that sends one per frame and caller. */
  readonly keepsUp: boolean;
}

/**
 * Whether batching pays:
 * - `yes`: it serves more predictions or has a shorter median latency, and nothing is worse.
 * - `no`: something is worse, and neither of these is better.
 * - `depends`: one is better, and something else is worse.
 * - `same`: no difference that matters.
 * - `alone`: there is never more than one request to batch.
 * - `unclear`: the slices vary too much.
 */
export type Answer = "yes" | "no" | "depends" | "same" | "alone" | "unclear";

/** The one decision: the card, the report and the snippet follow it. */
export interface Verdict {
  readonly answer: Answer;
  readonly effects: Readonly<Record<Measure, Effect>>;
  /**
   * Whether to batch: only if batching is better. Without a difference nothing is gained by it. `null` if unknown: keep
   * what was measured.
   */
  readonly batching: boolean | null;
}

export function decide(outcome: Outcome): Verdict {
  const effects = effectsOf(outcome.gains);
  const answer = answerOf(outcome, effects);
  return { answer, effects, batching: BATCHING[answer] };
}

const BATCHING: Readonly<Record<Answer, boolean | null>> = {
  yes: true,
  depends: true,
  no: false,
  same: false,
  alone: false,
  unclear: null,
};

type Effects = Verdict["effects"];

function effectsOf({ throughput, median, p99, first }: Gains): Effects {
  return {
    throughput: effectOf("throughput", throughput),
    median: effectOf("median", median),
    p99: effectOf("p99", p99),
    first: effectOf("first", first),
  };
}

function answerOf({ callers, maxBatch, gains }: Outcome, effects: Effects): Answer {
  const isWorse = MEASURES.some((measure) => effects[measure] === "worse");
  const isBetter = effects.throughput === "better" || effects.median === "better";
  if ((callers === 1 || maxBatch === 1) && !isWorse) return "alone";
  if (effects.throughput === "unclear" || effects.median === "unclear") return "unclear";
  if (isBetter && isWorse) return "depends";
  if (isWorse) return "no";
  if (effects.first === "unclear" && gains.first.factor.value < 1) return "unclear";
  return isBetter ? "yes" : "same";
}

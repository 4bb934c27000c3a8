import { capitalise, formatMs, formatNumber, formatShare } from "../format.js";
import { isComputeBound } from "./batch-cost.js";
import {
  isNoticeable,
  isUnfelt,
  NEGLIGIBLE,
  NOTICEABLE,
  type Effect,
  type Gain,
  type LaneFigure,
  type Measure,
} from "./gain.js";
import { decide, ranSingles, type Answer, type Outcome, type Verdict } from "./outcome.js";
import type { Ratio } from "./paired-ratio.js";
import { HIGHEST } from "./rounded.js";

const HEADLINES: Readonly<Record<Answer, string>> = {
  yes: "Yes",
  no: "No",
  depends: "It depends",
  same: "No",
  unclear: "Unclear",
};

const LATENCIES = [
  ["median", "the median latency"],
  ["p99", "the 99th percentile"],
  ["first", "the first answer of a burst"],
] as const satisfies readonly (readonly [Measure, string])[];

const list = new Intl.ListFormat("en");

/** Non-breaking space. */
const GAP = "\u00A0";

/** The verdict in a word or two, and the factor that it rests on. */
export interface Headline {
  readonly word: string;
  /** "3.9×", "at most 1.2×"; empty if no factor belongs to the verdict. */
  readonly factor: string;
  /** "2.1–7.3", the 95 % confidence interval; empty without a factor, and with an upper limit. */
  readonly range: string;
}

export function headlineOf(outcome: Outcome, { answer, effects }: Verdict): Headline {
  const { throughput, median } = outcome.gains;
  const word = HEADLINES[answer];
  const withFactor = ({ factor }: Gain): Headline => ({
    word,
    factor: formatFactor(factor.value),
    range: formatRange(factor),
  });
  switch (answer) {
    case "yes":
      return withFactor(effects.throughput === "better" ? throughput : median);
    case "no":
    case "same":
      if (effects.throughput === "worse") return withFactor(throughput);
      return { word, factor: describeLimit(outcome), range: "" };
    case "depends":
      return { word, factor: "", range: "" };
    case "unclear":
      return { word, factor: `${formatRange(throughput.factor)}×`, range: "" };
  }
}

/** "Yes 3.9× (2.1–7.3)", "No: at most 1.2×" */
export function headlineText({ word, factor, range }: Headline): string {
  if (factor === "") return word;
  return range === "" ? `${word}: ${factor}` : `${word} ${factor} (${range})`;
}

/**
 * The gain that the measurement leaves possible, "at most 1.2×"; empty for a difference that nobody feels, and for a
 * limit so high that it would speak against a "No" that rests on something else.
 */
function describeLimit(outcome: Outcome): string {
  const limit = Math.max(1, outcome.gains.throughput.factor.high);
  return limit >= NEGLIGIBLE || isTooShortToCount(outcome) ? "" : `at most ${formatFactor(limit)}`;
}

/** True if the throughput differs, but by too little to feel. */
function isTooShortToCount({ gains: { throughput }, callers }: Outcome): boolean {
  return throughput.factor.value >= NOTICEABLE && isUnfelt("throughput", throughput, callers);
}

/** The verdict in words about throughput and latency, and what follows from it. */
export function describeOutcome(outcome: Outcome): string {
  const verdict = decide(outcome);
  const parts = [describeThroughput(outcome, verdict), describeLatencies(outcome, verdict), adviceOf(outcome, verdict)];
  return parts.filter((part) => part !== "").join(" ");
}

/** "3.9×" */
export function formatFactor(factor: number): string {
  return `${factorNumber(factor)}×`;
}

/** "2.1–7.3" */
export function formatRange({ low, high }: Ratio): string {
  return `${factorNumber(low)}–${factorNumber(high)}`;
}

/** Near 1, a third digit tells a gain from a loss: "1.04", not "1". */
function factorNumber(factor: number): string {
  if (factor >= HIGHEST) return "∞";
  if (factor >= 100) return formatNumber(factor);
  const digits = factor > 0.9 && factor < 1.1 ? 3 : 2;
  return String(Number(factor.toPrecision(digits)));
}

/** The figure of a lane with its unit: "5,100" predictions per second, "≥ 12 ms". */
export function formatFigure(measure: Measure, { value, isAtLeast }: LaneFigure): string {
  return `${isAtLeast ? "≥ " : ""}${measure === "throughput" ? formatNumber(value) : formatMs(value)}`;
}

const CHANGES: Readonly<Record<"throughput" | "latency", Readonly<Record<"better" | "worse", string>>>> = {
  throughput: { better: "more", worse: "less" },
  latency: { better: "shorter", worse: "longer" },
};

/**
 * The effect of batching on one measure: "3.9× more (2.1–7.3)", "no difference", "too short to notice" for a difference
 * that nobody feels, or the interval of the factor, "unclear: 0.8–1.4×", if the slices vary too much.
 */
export function describeEffect(measure: Measure, { factor }: Gain, effect: Effect): string {
  if (effect === "same") return isNoticeable(factor.value) ? "too short to notice" : "no difference";
  if (effect === "unclear") return `unclear: ${formatRange(factor)}×`;
  const change = CHANGES[measure === "throughput" ? "throughput" : "latency"][effect];
  return `${formatFactor(sizeOf(factor, effect).value)} ${change} (${formatRange(sizeOf(factor, effect))})`;
}

/** The factor of a change as a number above 1. */
function sizeOf({ value, low, high }: Ratio, effect: Effect): Ratio {
  return effect === "worse" ? { value: 1 / value, low: 1 / high, high: 1 / low } : { value, low, high };
}

function describeThroughput(outcome: Outcome, { answer, effects }: Verdict): string {
  const { gains, keepsUp } = outcome;
  const { single, batched, factor } = gains.throughput;
  const rate = formatNumber(single.value);
  if (ranSingles(outcome)) {
    return keepsUp
      ? "Hardly any requests meet at this load, so both ways run single requests."
      : "framebatch sends single requests here too: it has measured that batches do not pay.";
  }
  switch (effects.throughput) {
    case "better":
      return `Batching serves ${factorNumber(factor.value)}${GAP}times as many predictions.`;
    case "worse":
      return `Batching serves ${formatShare(factor.value)} of the predictions of single requests.`;
    case "same":
      if (keepsUp) return `Both ways keep up with this load of ${rate} predictions a second.`;
      return isTooShortToCount(outcome)
        ? `A round of all callers takes ${roundTime(outcome, batched)} instead of ${roundTime(outcome, single)}, which nobody feels.`
        : `Both ways serve about ${rate} predictions a second.`;
    case "unclear":
      return answer === "unclear"
        ? `The device is too busy to tell: batching serves ${formatRange(factor)} times as many predictions.`
        : `Batching serves ${formatRange(factor)} times as many predictions.`;
  }
}

/** The time in which every caller gets one answer. */
function roundTime({ callers }: Outcome, { value }: LaneFigure): string {
  return formatMs((1000 * callers) / value);
}

/** One sentence: what falls, the median above all, and everything that rises. */
function describeLatencies({ gains }: Outcome, { effects }: Verdict): string {
  const changes = (effect: Effect, verb: string): string[] =>
    LATENCIES.filter(([measure]) => effects[measure] === effect).map(([measure, name], index) => {
      const { single, batched } = gains[measure];
      const change = `from ${formatFigure(measure, single)} to ${formatFigure(measure, batched)}`;
      return index === 0 ? `${name} ${verb} ${change}` : `${name} ${change}`;
    });
  const [falls, rises] = [changes("better", "falls").slice(0, 1), changes("worse", "rises")];
  if (falls.length + rises.length > 0) {
    return `${capitalise([...falls, list.format(rises)].filter((part) => part !== "").join(", but "))}.`;
  }
  return LATENCIES.every(([measure]) => effects[measure] === "same") ? describeSameMedian(gains.median) : "";
}

function describeSameMedian({ single, batched, factor }: Gain): string {
  const time = formatFigure("median", batched);
  return isNoticeable(factor.value)
    ? `Answers take ${time} at the median instead of ${formatFigure("median", single)}, which nobody feels.`
    : `Answers take as long as before, ${time} at the median.`;
}

function adviceOf(outcome: Outcome, { answer }: Verdict): string {
  switch (answer) {
    case "yes":
      return "";
    case "depends":
      return "Batch if that is worth it to you.";
    case "unclear":
      return "Close other tabs and measure again.";
    case "no":
    case "same":
      if (outcome.keepsUp) return "Add callers to see where one of them falls behind.";
      return [describeBound(outcome), "Turn batching off."].filter((part) => part !== null).join(" ");
  }
}

/** Explains why batching cannot pay, if the run times show it. */
function describeBound({ cost }: Outcome): string | null {
  if (cost === null || !isComputeBound(cost)) return null;
  return `The model is compute-bound here: a batch of ${cost.size} takes ${factorNumber(cost.times)}${GAP}times as long as one item.`;
}

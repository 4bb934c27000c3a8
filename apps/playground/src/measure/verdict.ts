import { formatMs, formatNumber, formatShare, formatTimes } from "../format.js";
import { isComputeBound } from "./batch-cost.js";
import { isNoticeable, type Effect, type Gain, type LaneFigure, type Measure } from "./gain.js";
import { decide, type Answer, type Outcome, type Verdict } from "./outcome.js";
import type { Ratio } from "./paired-ratio.js";

const HEADLINES: Readonly<Record<Answer, string>> = {
  yes: "Yes",
  no: "No",
  depends: "It depends",
  same: "No difference",
  alone: "Nobody to batch with",
  unclear: "Unclear",
};

const LATENCIES = [
  ["median", "the median latency"],
  ["p99", "the 99th percentile"],
  ["first", "the first answer of a burst"],
] as const satisfies readonly (readonly [Measure, string])[];

const list = new Intl.ListFormat("en");

/** The verdict in a word or two, and for `yes` by what factor. */
export interface Headline {
  readonly word: string;
  /** "3.9×"; empty if no factor belongs to the verdict. */
  readonly factor: string;
  /** "2.1–7.3", the 95 % confidence interval; empty without a factor. */
  readonly range: string;
}

export function headlineOf({ gains }: Outcome, { answer, effects }: Verdict): Headline {
  const word = HEADLINES[answer];
  if (answer !== "yes") return { word, factor: "", range: "" };
  const { factor } = effects.throughput === "better" ? gains.throughput : gains.median;
  return { word, factor: formatFactor(factor.value), range: formatRange(factor) };
}

/** The verdict in words about throughput and latency, and what follows from it. */
export function describeOutcome(outcome: Outcome): string {
  const verdict = decide(outcome);
  if (verdict.answer === "alone") return adviceOf(outcome, verdict);
  const parts = [describeThroughput(outcome, verdict), describeLatencies(outcome, verdict), adviceOf(outcome, verdict)];
  return parts.filter((part) => part !== "").join(" ");
}

/** "3.9×". It rounds to three digits first, as links do, so that the visitor of a link sees the same number. */
export function formatFactor(factor: number): string {
  if (!Number.isFinite(factor)) return "∞";
  const rounded = Number(factor.toPrecision(3));
  return `${rounded >= 100 ? formatNumber(rounded) : Number(rounded.toPrecision(2))}×`;
}

/** "2.1–7.3" */
export function formatRange({ low, high }: Ratio): string {
  return `${formatFactor(low).replace("×", "")}–${formatFactor(high).replace("×", "")}`;
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
 * The effect of batching on one measure: "3.9× more (2.1–7.3)", "no difference", "too short to notice" for different
 * latencies of a few ms, or "unclear (0.8–1.4×)".
 */
export function describeEffect(measure: Measure, { factor }: Gain, effect: Effect): string {
  if (effect === "same") return isNoticeable(factor.value) ? "too short to notice" : "no difference";
  if (effect === "unclear") return `unclear (${formatRange(factor)}×)`;
  const change = CHANGES[measure === "throughput" ? "throughput" : "latency"][effect];
  return `${formatFactor(sizeOf(factor, effect).value)} ${change} (${formatRange(sizeOf(factor, effect))})`;
}

/** The factor of a change as a number above 1. */
function sizeOf({ value, low, high }: Ratio, effect: Effect): Ratio {
  return effect === "worse" ? { value: 1 / value, low: 1 / high, high: 1 / low } : { value, low, high };
}

function describeThroughput({ gains, keepsUp }: Outcome, { effects }: Verdict): string {
  const { single, factor } = gains.throughput;
  const rate = formatNumber(single.value);
  switch (effects.throughput) {
    case "better":
      return `Batching serves ${formatTimes(factor.value)} as many predictions.`;
    case "worse":
      return `Batching serves ${formatShare(factor.value)} of the predictions of single requests.`;
    case "same":
      return keepsUp
        ? `Both ways keep up with this load of ${rate} predictions a second.`
        : `Both ways serve about ${rate} predictions a second.`;
    case "unclear":
      return `The throughput varies too much to tell: batching serves ${formatRange(factor)} times as many predictions.`;
  }
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
  const isUnchanged = LATENCIES.every(([measure]) => effects[measure] === "same");
  return isUnchanged
    ? `Answers take as long as before, ${formatFigure("median", gains.median.batched)} at the median.`
    : "";
}

function adviceOf(outcome: Outcome, { answer }: Verdict): string {
  const { callers, keepsUp } = outcome;
  switch (answer) {
    case "yes":
      return "";
    case "depends":
      return "Batch if that is worth it to you.";
    case "unclear":
      return "Other work on the device may disturb the measurement: close other tabs and compare again.";
    case "alone":
      return callers === 1
        ? "A single caller waits for each answer, so no two requests meet. Set more callers."
        : "The largest batch is set to 1. Allow larger ones.";
    case "no":
    case "same":
      if (keepsUp) return "Add callers to see where one of them falls behind.";
      return [describeBound(outcome), "Turn batching off."].filter((part) => part !== null).join(" ");
  }
}

/** Explains why batching cannot pay, if the run times show it. */
function describeBound({ cost }: Outcome): string | null {
  if (cost === null || !isComputeBound(cost)) return null;
  return `The model is compute-bound here: a batch of ${cost.size} takes ${formatTimes(cost.times)} as long as one item.`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

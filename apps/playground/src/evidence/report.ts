import type { LaneSummary } from "../measure/lane-summary.js";
import { MEASURES } from "../measure/gain.js";
import { describeEffect, describeOutcome, headlineOf, headlineText } from "../measure/verdict.js";
import type { Measured } from "../comparison/measured.js";

/** Converts a comparison to JSON data: all figures of the page, with units in their names. */
export function comparisonReport({ comparison, ...measured }: Measured, userAgent: string): object {
  const { callers, pace, maxBatch, batchSize, noise, gains, slices, batched, single, framePeriodMs } = comparison;
  const { verdict, conditions, options, atIso, link } = measured;
  return {
    format: "framebatch playground comparison",
    version: 3,
    atIso,
    link,
    userAgent,
    conditions,
    options,
    load: { callers, pace, maxBatch },
    framePeriodMs,
    verdict: {
      ...verdict,
      headline: headlineText(headlineOf(comparison, verdict)),
      sentence: describeOutcome(comparison),
      facts: MEASURES.map((measure) => describeEffect(measure, gains[measure], verdict.effects[measure])),
    },
    noise,
    batchSize,
    gains: Object.fromEntries(MEASURES.map((measure) => [measure, gains[measure]])),
    lanes: { batched: toData(batched), single: toData(single) },
    slices,
  };
}

/** Omits the individual latencies, which may be millions. */
function toData({ waits, ...summary }: LaneSummary): object {
  const { count, p50, p95, p99 } = waits;
  return { ...summary, waits: { count, p50, p95, p99 } };
}

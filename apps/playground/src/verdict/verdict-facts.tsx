import { formatNumber } from "../format.js";
import { MEASURES, type Effect, type Gain, type LaneName, type Measure, type RateFigures } from "../measure/gain.js";
import type { Outcome, Verdict } from "../measure/outcome.js";
import { geometricMean } from "../measure/paired-ratio.js";
import { describeEffect, formatFigure } from "../measure/verdict.js";

/** The measures in words that a visitor knows. */
export const FACT_NAMES: Readonly<Record<Measure, string>> = {
  throughput: "Predictions per second",
  median: "Median wait, p50",
  p99: "99 % wait, p99",
  first: "First answer",
};

/** What each measure means, in a sentence. */
export const FACT_HELP: Readonly<Record<Measure, string>> = {
  throughput: "All callers together.",
  median: "Half of the answers take less time than this, from the call to the answer.",
  p99: "One answer in a hundred takes longer than this.",
  first: "After all callers have asked at once: the time until the first of them has its answer.",
};

const NOTHING = "–";
/** Keeps the arrow in the line of the figure that it points at. */
const GAP = "\u00A0";

/** The measures without and with batching, and the effect on each. */
export function VerdictFacts({ outcome: { gains }, verdict }: { outcome: Outcome; verdict: Verdict }) {
  return (
    <dl class="verdict-facts" data-testid="verdict-facts">
      {MEASURES.map((measure) => (
        <div key={measure} class="verdict-fact">
          <dt title={FACT_HELP[measure]}>{FACT_NAMES[measure]}</dt>
          <Fact measure={measure} gain={gains[measure]} effect={verdict.effects[measure]} />
        </div>
      ))}
    </dl>
  );
}

/** The throughput of the slices so far. The latencies follow at the end. */
export function FactsSoFar({ slices }: { slices: readonly RateFigures[] }) {
  return (
    <dl class="verdict-facts">
      {MEASURES.map((measure) => (
        <div key={measure} class="verdict-fact">
          <dt title={FACT_HELP[measure]}>{FACT_NAMES[measure]}</dt>
          <dd>
            {measure === "throughput" && slices.length > 0 ? (
              <Pair single={rateOf(slices, "single")} batched={rateOf(slices, "batched")} />
            ) : (
              NOTHING
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Fact({ measure, gain, effect }: { measure: Measure; gain: Gain; effect: Effect }) {
  return (
    <>
      <dd>
        <Pair single={formatFigure(measure, gain.single)} batched={formatFigure(measure, gain.batched)} />
      </dd>
      <dd class="verdict-effect" data-effect={effect}>
        {describeEffect(measure, gain, effect)}
      </dd>
    </>
  );
}

function Pair({ single, batched }: { single: string; batched: string }) {
  return (
    <>
      <span class="visually-hidden">without batching </span>
      <span class="fact-single">{single}</span> <span aria-hidden="true">→{GAP}</span>
      <span class="visually-hidden">, with batching </span>
      <strong>{batched}</strong>
    </>
  );
}

function rateOf(slices: readonly RateFigures[], lane: LaneName): string {
  const rates = slices.filter((slice) => slice.lane === lane).map(({ throughput }) => throughput);
  return rates.length === 0 ? NOTHING : formatNumber(geometricMean(rates));
}

import { useMemo } from "preact/hooks";
import type { ComparisonRun } from "../comparison/comparison-run.js";
import { describeConditions } from "../comparison/conditions.js";
import { decodeResult, type SharedResult } from "../comparison/shared-result.js";
import { describeNoise } from "../measure/noise.js";
import { decide } from "../measure/outcome.js";
import { describeOutcome, headlineOf } from "../measure/verdict.js";
import type { Settings } from "../settings.js";
import { Answer } from "./answer.js";
import { VerdictFacts } from "./verdict-facts.js";

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/**
 * The result of the link that the visitor followed. Renders nothing without one.
 * @param run `null` until the scene has opened
 */
export function SharedCard({ settings, run }: { settings: Settings; run: ComparisonRun | null }) {
  const text = settings.result.value;
  const shared = useMemo(() => (text === null ? null : decodeResult(text)), [text]);
  if (text === null) return null;
  return (
    <section class="card verdict-card" aria-labelledby="shared-heading" data-phase="shared" data-testid="shared">
      <h2 id="shared-heading">{shared === null ? "The result in this link" : headingOf(shared)}</h2>
      <div class="verdict-actions">
        <Dismiss settings={settings} />
      </div>
      {shared === null ? (
        <p class="verdict-words">This page cannot read it: it is incomplete, or of another version.</p>
      ) : (
        <Shared shared={shared} run={run} />
      )}
    </section>
  );
}

function headingOf({ conditions, day }: SharedResult): string {
  return `Somebody measured ${conditions.model} on ${DAY.format(new Date(day))}`;
}

function Dismiss({ settings }: { settings: Settings }) {
  return (
    <button
      type="button"
      class="button"
      data-testid="dismiss-shared"
      onClick={() => {
        settings.result.value = null;
      }}
    >
      Dismiss
    </button>
  );
}

function Shared({ shared: { outcome, conditions }, run }: { shared: SharedResult; run: ComparisonRun | null }) {
  const verdict = decide(outcome);
  return (
    <>
      <div class="verdict-words">
        <Answer headline={headlineOf(outcome, verdict)} answer={verdict.answer} sentence={describeOutcome(outcome)} />
      </div>
      <VerdictFacts outcome={outcome} verdict={verdict} />
      <p class="verdict-conditions">
        {describeNoise(outcome.noise)} {describeConditions(conditions, outcome)}
      </p>
      <Yours run={run} model={conditions.model} />
    </>
  );
}

/** Asks for the visitor's own result. A link cannot carry a file, so the visitor needs the same one. */
function Yours({ run, model }: { run: ComparisonRun | null; model: string }) {
  if (run !== null && run.state.value.phase !== "idle") return null;
  const { settings, lanes, canMeasure } = run?.playground ?? {};
  const needsFile = settings?.scene.value === "model" && lanes?.value === null;
  return (
    <div class="verdict-more yours">
      <h3>And on yours?</h3>
      {needsFile ? (
        <p>Drop the same {model} on this page.</p>
      ) : (
        <button
          type="button"
          class="button button-primary"
          data-testid="measure-mine"
          disabled={canMeasure?.value !== true}
          onClick={() => void run?.start()}
        >
          Measure mine
        </button>
      )}
    </div>
  );
}

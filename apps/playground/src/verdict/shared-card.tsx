import { useMemo } from "preact/hooks";
import { decide } from "../measure/outcome.js";
import type { Settings } from "../settings.js";
import { Answer } from "./answer.js";
import { describeConditions } from "../comparison/conditions.js";
import { decodeResult, type SharedResult } from "../comparison/shared-result.js";
import { VerdictFacts } from "./verdict-facts.js";

/** The result of the link that the visitor followed, beside the visitor's own. Renders nothing without one. */
export function SharedCard({ settings }: { settings: Settings }) {
  const text = settings.result.value;
  const shared = useMemo(() => (text === null ? null : decodeResult(text)), [text]);
  if (text === null) return null;
  return (
    <section class="card verdict-card" aria-labelledby="shared-heading" data-testid="shared">
      <h2 id="shared-heading">The result in this link</h2>
      <div class="verdict-actions">
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
      </div>
      {shared === null ? (
        <p class="verdict-words">This page cannot read it: it is incomplete, or of another version.</p>
      ) : (
        <Shared shared={shared} />
      )}
    </section>
  );
}

function Shared({ shared: { outcome, conditions, day } }: { shared: SharedResult }) {
  const verdict = decide(outcome);
  return (
    <>
      <div class="verdict-words">
        <Answer outcome={outcome} verdict={verdict} />
      </div>
      <VerdictFacts outcome={outcome} verdict={verdict} />
      <p class="verdict-conditions">
        Measured on {day} with {describeConditions(conditions, outcome)}
      </p>
    </>
  );
}

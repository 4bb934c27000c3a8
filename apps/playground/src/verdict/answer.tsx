import type { Outcome, Verdict } from "../measure/outcome.js";
import { describeOutcome, headlineOf } from "../measure/verdict.js";

/** The verdict: a word or two, the factor, and a few sentences. */
export function Answer({ outcome, verdict }: { outcome: Outcome; verdict: Verdict }) {
  const { word, factor, range } = headlineOf(outcome, verdict);
  return (
    <>
      <p class="headline" data-answer={verdict.answer} data-testid="headline">
        {word}
        {factor === "" ? null : (
          <>
            {" "}
            {factor} <small>({range})</small>
          </>
        )}
      </p>
      <p class="verdict-sentence" data-testid="verdict">
        {describeOutcome(outcome)}
      </p>
    </>
  );
}

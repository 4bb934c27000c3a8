import type { ComparisonState } from "../comparison/comparison-run.js";
import { describeFinding, headlineOfFinding } from "../comparison/describe-finding.js";
import type { ComparisonProgress } from "../measure/compare.js";
import { headlineText } from "../measure/verdict.js";

/** What a screen reader announces: the start, the half, and the answer. */
export function announce(state: ComparisonState): string {
  switch (state.phase) {
    case "idle":
      return "";
    case "running":
      return state.progress.step === "measuring" ? describeProgress(state.progress) : "";
    case "done":
      return `${headlineText(headlineOfFinding(state.result))}. ${describeFinding(state.result)}`;
    case "stopped":
      return state.message;
  }
}

/** Changes twice, so that it is announced twice; and once more for an extension. */
function describeProgress({ soFar, total, isExtended }: ComparisonProgress): string {
  if (isExtended) return "Still unclear: a few more slices.";
  return 2 * soFar.length < total ? "The comparison runs." : "The comparison is halfway.";
}

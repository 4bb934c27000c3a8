import type { ComparisonProgress } from "../measure/compare.js";
import { describeOutcome, headlineOf } from "../measure/verdict.js";
import type { ComparisonState } from "../comparison/comparison-run.js";
import { headlineText } from "../comparison/measured.js";

/** What a screen reader announces: the start with the expected duration, the half, and the verdict. */
export function announce(state: ComparisonState): string {
  switch (state.phase) {
    case "idle":
      return "";
    case "running":
      return state.progress.step === "measuring" ? describeProgress(state.progress) : "";
    case "done": {
      const { comparison, verdict } = state.result;
      return `${headlineText(headlineOf(comparison, verdict))}. ${describeOutcome(comparison)}`;
    }
    case "stopped":
      return state.message;
  }
}

/** Changes twice, so that it is announced twice. */
function describeProgress({ soFar, total }: ComparisonProgress): string {
  return 2 * soFar.length < total ? "The comparison runs." : "The comparison is halfway.";
}

import { describeOutcome, headlineOf } from "../measure/verdict.js";
import type { ComparisonState } from "./comparison-run.js";
import { headlineText } from "./measured.js";

/** What a screen reader announces: the start with the expected duration, the half, and the verdict. */
export function announce(state: ComparisonState): string {
  switch (state.phase) {
    case "idle":
    case "loading":
    case "trial":
      return "";
    case "measuring":
      return describeProgress(state.progress.soFar.length, state.progress.total);
    case "done": {
      const { comparison, verdict } = state.measured;
      return `${headlineText(headlineOf(comparison, verdict))}. ${describeOutcome(comparison)}`;
    }
    case "stopped":
      return state.message;
  }
}

/** Changes twice, so that it is announced twice. */
function describeProgress(done: number, total: number): string {
  return 2 * done < total ? "The comparison runs." : "The comparison is halfway.";
}

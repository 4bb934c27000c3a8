import { formatMs } from "../format.js";
import { describeOutcome, headlineOf, type Headline } from "../measure/verdict.js";
import type { Cannot, Finding } from "./finding.js";

/** How the check of batches begins its reason if the graph of the model shows it. */
const BY_GRAPH = "the model works across the batch: ";

/** Why batching cannot pay, in a few words. */
export const CANNOT: Readonly<Record<Cannot["why"], string>> = {
  "lone caller": "Nobody to batch with",
  "batches of one": "Batches of one",
  mixes: "Cannot batch",
  "fixed batch": "Cannot batch",
  unchecked: "Not verified yet",
};

/** The answer in a few words. */
export function headlineOfFinding(finding: Finding): Headline {
  switch (finding.kind) {
    case "measured":
      return headlineOf(finding.measured.comparison, finding.measured.verdict);
    case "cannot":
      return { word: CANNOT[finding.cannot.why], factor: "", range: "" };
    case "slow":
      return { word: "Slow model", factor: "", range: "" };
  }
}

/** What follows from it, in a few sentences. */
export function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case "measured":
      return describeOutcome(finding.measured.comparison);
    case "cannot":
      return describeCannot(finding.cannot);
    case "slow":
      return `A comparison of ${finding.callers} callers takes about ${formatMs(finding.slowness.needMs)} here.`;
  }
}

function describeCannot(cannot: Cannot): string {
  switch (cannot.why) {
    case "lone caller":
      return "A single caller waits for each answer, so no two requests meet. Set more callers.";
    case "batches of one":
      return "The largest batch is set to 1, so both ways send single requests. Allow larger ones.";
    case "mixes":
      return `${whatMixes(cannot.reason)} So framebatch runs one item at a time, as it does without batching.`;
    case "fixed batch":
      return `framebatch runs one item at a time: ${cannot.reason}.`;
    case "unchecked":
      return `framebatch runs one item at a time until its check of batches has ended: ${cannot.reason}.`;
  }
}

function whatMixes(reason: string): string {
  return reason.startsWith(BY_GRAPH)
    ? `${reason.slice(BY_GRAPH.length)} mixes the items of a batch.`
    : `A batch gives other answers than its items alone: ${reason}.`;
}

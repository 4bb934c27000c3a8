import type { PageFacts } from "../results.js";
import { timerResolution } from "../statistics/timer-resolution.js";
import { callerUsPerPrediction } from "./caller-cost.js";
import { measureFramePeriod } from "./frame-recorder.js";

/** What is to be known of the page and its browser before numbers from it mean anything. */
export async function measurePage(): Promise<PageFacts> {
  return {
    crossOriginIsolated,
    timerResolutionMs: timerResolution(() => performance.now()),
    framePeriodMs: await measureFramePeriod(),
    callerUsPerPrediction: await callerUsPerPrediction(),
  };
}

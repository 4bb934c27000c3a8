import type { PageFacts } from "../results.js";
import { timerResolution } from "../statistics/timer-resolution.js";
import { callerUsPerPrediction } from "./caller-cost.js";
import { measureFramePeriod } from "./frame-recorder.js";

/** Measures the properties of the page and its browser that are needed to interpret the results. */
export async function measurePage(): Promise<PageFacts> {
  return {
    crossOriginIsolated,
    timerResolutionMs: timerResolution(() => performance.now()),
    framePeriodMs: await measureFramePeriod(),
    callerUsPerPrediction: await callerUsPerPrediction(),
  };
}

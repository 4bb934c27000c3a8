import type { PipelineConfig } from "../runs/pipeline-runs.js";
import type { PipelineTimeline } from "./pipeline-timeline.js";

/** What a pipeline takes from its surroundings. */
export interface PipelineHost extends Pick<PipelineConfig<unknown, unknown>, "timer"> {
  /** Receives the time of each step of a run that has ended. */
  readonly timeline: Pick<PipelineTimeline, "ended">;
}

import { createPipelineOn } from "../../src/client/pipelines/create-pipeline.js";
import type { Pipeline } from "../../src/client/pipelines/pipeline.js";
import { PipelineTimeline } from "../../src/client/pipelines/pipeline-timeline.js";
import { ManualClock } from "./manual-clock.js";

/** An empty pipeline on a clock that the test advances. */
export function pipelineOn<In>(clock = new ManualClock()): Pipeline<In, In> {
  return createPipelineOn<In>({ timer: clock, timeline: new PipelineTimeline(clock) });
}

/** Returns the outcome of a promise: its result, or what it rejected with. */
export function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}

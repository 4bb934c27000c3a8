import { createPipelineOn, PipelineTimeline } from "../../src/builder/create-pipeline.js";
import type { Pipeline } from "../../src/builder/pipeline.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

/** An empty pipeline on a clock that the test advances. */
export function pipelineOn<In>(clock = new ManualClock()): Pipeline<In, In> {
  return createPipelineOn<In>({ timer: clock, timeline: new PipelineTimeline(clock) });
}

/** Returns the outcome of a promise: its result, or what it rejected with. */
export function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}

/** Reads a stream in the background. */
export function read<Out>(stream: AsyncGenerator<Out>) {
  const results: Out[] = [];
  const end = outcomeOf(
    (async () => {
      for await (const result of stream) results.push(result);
      return "ended";
    })(),
  );
  return { results, end };
}

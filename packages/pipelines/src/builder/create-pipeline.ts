import { hostTimer } from "@framebatch/host/host-timer.js";
import { BuiltPipeline } from "./built-pipeline.js";
import { noSteps } from "./path-so-far.js";
import { type PipelineHost, PipelineTimeline } from "./pipeline-timeline.js";
import type { Pipeline } from "./pipeline.js";

/**
 * Creates an empty pipeline, whose result is its item. `stage`, `split` and `collect` add to it.
 * @example
 * ```ts
 * const ocr = createPipeline<ImageBitmap>()
 *   .stage(detector)
 *   .split((boxes) => boxes.map(cut))
 *   .stage(reader)
 *   .collect((lines) => lines.join("\n"));
 * const text = await ocr.run(bitmap, { timeoutMs: 5000 });
 * ```
 */
export function createPipeline<In>(): Pipeline<In, In> {
  return createPipelineOn({ timer: hostTimer, timeline: new PipelineTimeline(hostTimer) });
}

/** Creates an empty pipeline that takes its time and its marks from outside. */
export function createPipelineOn<In>(host: PipelineHost): Pipeline<In, In> {
  return new BuiltPipeline(host, noSteps<In>());
}

import { hostTimer, markSpan } from "@framebatch/host/host-timer.js";
import { BuiltPipeline } from "./built-pipeline.js";
import { noSteps } from "./path-so-far.js";
import type { Pipeline } from "./pipeline.js";
import type { StepSpan } from "../runs/open-run.js";
import type { StepInfo } from "../runs/pipeline-stats.js";
import type { Timer } from "@framebatch/host/clock.js";
import type { PipelineConfig } from "../runs/pipeline-runs.js";

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

/** What a pipeline takes from its surroundings. */
export interface PipelineHost extends Pick<PipelineConfig<unknown, unknown>, "timer"> {
  /** Receives the time of each step of a run that has ended. */
  readonly timeline: Pick<PipelineTimeline, "ended">;
}

/** Delay of the marks of a run, in milliseconds: no caller waits for the time that marking takes. */
const MARK_DELAY_MS = 100;

/** The times of the steps of a run, by their index. */
type Spans = ReadonlyMap<number, Readonly<StepSpan>>;

/**
 * Marks the steps of each run for the browser's performance panel: one span for each step, from its first part to its
 * last.
 */
export class PipelineTimeline {
  readonly #timer: Timer;
  #ended: { readonly steps: readonly StepInfo[]; readonly spans: Spans }[] = [];

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Notes a run that has ended, to be marked later. */
  ended(steps: readonly StepInfo[], spans: Spans): void {
    if (spans.size === 0) return;
    if (this.#ended.push({ steps, spans }) > 1) return;
    this.#timer.schedule(this.#timer.now() + MARK_DELAY_MS, () => this.#mark());
  }

  #mark(): void {
    const ended = this.#ended;
    this.#ended = [];
    for (const { steps, spans } of ended) {
      for (const [index, { startMs, endMs, parts }] of spans) {
        markSpan(`framebatch ${steps[index]?.name}${parts === 1 ? "" : ` (${parts} parts)`}`, startMs, endMs);
      }
    }
  }
}
